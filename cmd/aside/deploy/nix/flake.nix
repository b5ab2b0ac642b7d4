# nix run "github:aside-go/aside?dir=cmd/aside/deploy/nix" -- replay
{
  description = "Puts the right words before a coding agent at the right moment";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      version = self.shortRev or "dev";
      build = pkgs: pkgs.buildGoModule {
        pname = "aside";
        inherit version;
        src = ../../../..;
        overrideModAttrs = _: { buildPhase = "go work vendor"; };
        # Changes with the modules that go.work needs; TestVendorHash says the new one.
        vendorHash = "sha256-cootJ98l0dlYjGnrJla1oXf4EbYBswV0ozafn0329Uk=";
        subPackages = [ "cmd/aside" "cmd/aside-hook" "cmd/asided" ];
        env.CGO_ENABLED = 0;
        ldflags = [ "-s" "-w" "-X github.com/aside-go/aside/cmd/internal/command.version=${version}" ];
        doCheck = false; # the gate runs the tests
        meta = {
          homepage = "https://github.com/aside-go/aside";
          license = pkgs.lib.licenses.asl20;
          mainProgram = "aside";
        };
      };
    in {
      packages = nixpkgs.lib.genAttrs systems (system: { default = build nixpkgs.legacyPackages.${system}; });
    };
}
