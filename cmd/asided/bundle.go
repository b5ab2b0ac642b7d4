package main

import (
	"context"

	"github.com/aside-go/aside/cmd/asided/internal/bundle"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
)

// bundleCmd is "asided bundle".
type bundleCmd struct {
	Build  bundleBuildCmd  `cmd:"" help:"Make a bundle of the rule files in a directory."`
	Keygen bundleKeygenCmd `cmd:"" help:"Make a key that signs bundles."`
	Sign   bundleSignCmd   `cmd:"" help:"Sign a bundle."`
	Verify bundleVerifyCmd `cmd:"" help:"Check a bundle as a node does, and say what it holds."`
	Push   bundlePushCmd   `cmd:"" help:"Put a bundle on a server, in place of an earlier one."`
	Pull   bundlePullCmd   `cmd:"" help:"Bring the rule files of a server's bundle into a directory, for hooks."`
}

// bundleBuildCmd is "asided bundle build".
type bundleBuildCmd struct {
	Dir      string           `arg:"" help:"The directory with the rule files; directories in it are not looked at, rule tests stay out."`
	Out      string           `short:"o" placeholder:"FILE" help:"Where to write the bundle; by default NAME-REVISION.tar.gz."`
	Name     string           `placeholder:"NAME" help:"The bundle's name, which stays the same; by default that of the directory."`
	Revision int64            `placeholder:"N" help:"A number that grows with each bundle. Nodes refuse an earlier one."`
	Rollout  string           `placeholder:"SHARE" help:"The share of runs that have these rules, such as 10%; the others have those of --base."`
	Base     string           `placeholder:"FILE" help:"With --rollout: the bundle that all runs had before."`
	Expires  string           `placeholder:"DATE" help:"From when on no process takes it up, and those that use it count as stale; by default never."`
	Replaces int64            `placeholder:"N" help:"A later revision, published by mistake, that this bundle takes the place of."`
	Var      program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Run builds.
func (c *bundleBuildCmd) Run(e *command.Env) error {
	return bundle.Build(e, bundle.BuildOptions{Dir: c.Dir, Out: c.Out, Name: c.Name, Revision: c.Revision,
		Rollout: c.Rollout, Base: c.Base, Replaces: c.Replaces, Expires: c.Expires, Vars: c.Var})
}

// bundleKeygenCmd is "asided bundle keygen".
type bundleKeygenCmd struct {
	Name string `arg:"" help:"The files are NAME.key and NAME.pub."`
}

// Run writes a key.
func (c *bundleKeygenCmd) Run(e *command.Env) error { return bundle.Keygen(e, c.Name) }

// bundleSignCmd is "asided bundle sign".
type bundleSignCmd struct {
	File string `arg:"" help:"The bundle, which is rewritten. Signatures of other keys stay."`
	Key  string `required:"" placeholder:"FILE" help:"The private key, in PEM."`
}

// Run signs.
func (c *bundleSignCmd) Run(e *command.Env) error { return bundle.SignFile(e, c.File, c.Key) }

// bundleVerifyCmd is "asided bundle verify".
type bundleVerifyCmd struct {
	File string           `arg:"" help:"The bundle."`
	Pub  []string         `required:"" sep:"none" placeholder:"FILE" help:"A public key, in PEM. Repeatable: one of them must have signed."`
	Var  program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Run checks.
func (c *bundleVerifyCmd) Run(e *command.Env) error {
	return bundle.VerifyFile(e, c.File, c.Pub, c.Var)
}

// bundlePushCmd is "asided bundle push".
type bundlePushCmd struct {
	File      string `arg:"" help:"The bundle, signed."`
	URL       string `arg:"" help:"Its address on a server that takes PUT."`
	TokenFile string `placeholder:"FILE" help:"The bearer token for the server; by default that of ASIDE_BUNDLE_TOKEN."`
}

// Run pushes.
func (c *bundlePushCmd) Run(ctx context.Context, e *command.Env) error {
	return bundle.Push(ctx, e, c.File, bundle.Server{URL: c.URL, TokenFile: c.TokenFile})
}

// bundlePullCmd is "asided bundle pull".
type bundlePullCmd struct {
	URL       string           `arg:"" help:"The address of the bundle."`
	To        string           `required:"" placeholder:"DIR" help:"The directory for the rule files, which belongs to this command: what is not in the bundle is removed."`
	Key       []string         `required:"" sep:"none" placeholder:"FILE" help:"A public key, in PEM. Repeatable: one of them must have signed."`
	TokenFile string           `placeholder:"FILE" help:"The bearer token for the server; by default that of ASIDE_BUNDLE_TOKEN."`
	Var       program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Run pulls.
func (c *bundlePullCmd) Run(ctx context.Context, e *command.Env) error {
	return bundle.Pull(ctx, e, bundle.PullOptions{Server: bundle.Server{URL: c.URL, TokenFile: c.TokenFile},
		Keys: c.Key, To: c.To, Vars: c.Var})
}
