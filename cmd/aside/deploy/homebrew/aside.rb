# For a tap: brew install --HEAD aside-go/tap/aside. A release adds url and sha256 of its source archive.
class Aside < Formula
  desc "Puts the right words before a coding agent at the right moment"
  homepage "https://github.com/aside-go/aside"
  license "Apache-2.0"
  head "https://github.com/aside-go/aside.git", branch: "main"

  depends_on "go" => :build

  def install
    ldflags = "-s -w -X github.com/aside-go/aside/cmd/internal/command.version=#{version}"
    system "go", "build", *std_go_args(ldflags:), "./cmd/aside"
    system "go", "build", *std_go_args(ldflags:, output: bin/"aside-hook"), "./cmd/aside-hook"
    generate_completions_from_executable(bin/"aside", "completion")
  end

  test do
    assert_match "reminders fired", shell_output("#{bin}/aside replay 2>&1")
  end
end
