# SPDX-License-Identifier: Apache-2.0
# nix-build -E 'with import <nixpkgs> { }; callPackage ./packaging/recipes/package.nix { }'
{
  lib,
  stdenv,
  pkg-config,
  cjson,
  curl,
  libarchive,
  libyaml,
  ncurses,
  uthash,
  openssl,
  zlib,
}:

stdenv.mkDerivation {
  pname = "kubectl-status";
  version = "0.1.0";
  src = lib.cleanSource ../..;

  nativeBuildInputs = [ pkg-config ];
  buildInputs = [
    cjson
    curl
    libarchive
    libyaml
    ncurses
    uthash
    openssl
    zlib
  ];

  makeFlags = [ "PREFIX=${placeholder "out"}" ];
  enableParallelBuilding = true;

  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/kubectl-status --replay demo/incident.jsonl.gz -A -o table | grep -q network/net
  '';

  meta = {
    description = "What is broken in a Kubernetes cluster, what waits for it, and since when";
    homepage = "https://repository.invalid/kubectl-status";
    license = lib.licenses.asl20;
    mainProgram = "kubectl-status";
    platforms = lib.platforms.unix;
  };
}
