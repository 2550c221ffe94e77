# SPDX-License-Identifier: Apache-2.0
# For a Homebrew tap: put in its Formula folder, with url and sha256 of a release.
class KubectlStatus < Formula
  desc "What is broken in a Kubernetes cluster, what waits for it, and since when"
  homepage "https://repository.invalid/kubectl-status"
  url "https://repository.invalid/kubectl-status/releases/download/v0.1.0/kubectl-status-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on "uthash" => :build
  depends_on "cjson"
  depends_on "curl" # macOS' own has no OpenSSL
  depends_on "libarchive"
  depends_on "libyaml"
  depends_on "ncurses"
  depends_on "openssl@3"

  uses_from_macos "zlib"

  def install
    system "make", "kubectl-status"
    system "make", "install", "PREFIX=#{prefix}"
    pkgshare.install "demo/incident.jsonl.gz"
  end

  test do
    shown = shell_output("#{bin}/kubectl-status --replay #{pkgshare}/incident.jsonl.gz -A -o table")
    assert_match "network/net", shown
  end
end
