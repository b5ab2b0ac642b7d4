#!/usr/bin/env bash
# What has changed in the newest version of each coding agent since it was last looked at.
#
#   probe.sh [--write] [AGENT...]      default: all that run.sh knows
#
# For each agent: installs the newest version that npm serves, runs the long session of TestAgentsLive with the hooks that
# "aside install" registers (parallel calls, calls that fail, a subagent, three resumes; what fires live is held against
# replay), and compares what hooks were told, where their texts stood, and the event names in the program with seen/AGENT.json.
# Differences are printed as a patch to that file; --write applies it, and pins the version in run.sh.
#
# Exit: 0 nothing has changed, 1 something has, 3 an agent could not be installed or run. PROBE_KEEP: a directory where all
# stays. Needs what run.sh needs, Go, and a few minutes for each agent.
set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
WRITE=
if [ "${1:-}" = --write ]; then WRITE=1; shift; fi
[ $# -gt 0 ] || set -- claude-code codex gemini opencode qwen copilot kimi-code cline kilo grok pi
KEEP=${PROBE_KEEP:-$(mktemp -d)}
TEST=$KEEP/aside.test
(cd "$ROOT/cmd/aside" && go test -c -vet=off -o "$TEST" .) || exit 3
WORST=0
worse() { [ "$1" -le "$WORST" ] || WORST=$1; }

for A in "$@"; do
  read -r PKG PINNED < <("$HERE/run.sh" package "$A") || { worse 3; continue; }
  NEWEST=$(npm view "$PKG" version 2>/dev/null) || NEWEST=
  K=$KEEP/$A; rm -rf "$K"; mkdir -p "$K"
  if [ -z "$NEWEST" ] || ! DIR=$(AGENTS_VERSION=$NEWEST "$HERE/run.sh" install "$A" 2>"$K/install.log"); then
    # Kilo's newest packages come before the programs that they need
    echo "== $A ${NEWEST:-?}: not installed, the pinned version $PINNED is run: $(tail -n 1 "$K/install.log" 2>/dev/null)"
    NEWEST=$PINNED
    DIR=$("$HERE/run.sh" install "$A") || { worse 3; continue; }
  fi
  HELD="live equals replay"
  (cd "$ROOT/cmd/aside" && AGENTS_VERSION=$NEWEST ASIDE_AGENTS=$A ASIDE_AGENTS_KEEP=$K "$TEST" -test.run '^TestAgentsLive$' \
    -test.timeout 30m) >"$K/live.log" 2>&1 || { HELD="FAILED"; worse 1; }
  mkdir -p "$HERE/seen"
  python3 "$HERE/probe.py" "$A" "$NEWEST" "$DIR/node_modules" "$K" "$ROOT"/internal/agent/agents/*.json >"$K/seen.json" ||
    { worse 3; continue; }
  echo "== $A $PINNED -> $NEWEST: $HELD"
  [ "$HELD" = FAILED ] && grep -v '^=== ' "$K/live.log" | head -n 20
  SEEN=$HERE/seen/$A.json
  [ -e "$SEEN" ] || SEEN=/dev/null
  if ! diff -u --label "a/testdata/agents/seen/$A.json" --label "b/testdata/agents/seen/$A.json" "$SEEN" "$K/seen.json"; then
    worse 1
    if [ -n "$WRITE" ]; then
      cp "$K/seen.json" "$HERE/seen/$A.json"
      sed -i.old "s|\(PKG=$PKG \+VERSION=\)$PINNED|\1$NEWEST|" "$HERE/run.sh" && rm -f "$HERE/run.sh.old"
    fi
  fi
done
[ -n "${PROBE_KEEP:-}" ] || rm -rf "$KEEP"
exit "$WORST"
