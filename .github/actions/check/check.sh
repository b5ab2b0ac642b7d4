#!/usr/bin/env bash
# The steps of the action: what it is given stands in the environment, as action.yml has it.
set -euo pipefail
shopt -s nullglob globstar
if [ -n "$COMMAND" ]; then
  aside=("$COMMAND")
else
  aside=(npx --yes "@aside/cli@$VERSION")
fi
read -ra rules <<<"$RULES"
strict=()
[ "$STRICT" != true ] || strict=(--strict)
"${aside[@]}" check "${strict[@]}" "${rules[@]}"
read -ra tests <<<"$TESTS"
if [ ${#tests[@]} = 0 ]; then
  for r in "${rules[@]}"; do
    tests+=("${r%/}"/**/*_test.y*ml "${r%/}"/../*_test.y*ml)
  done
fi
[ ${#tests[@]} = 0 ] || "${aside[@]}" test "${tests[@]}"
