package sdktest_test

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	auth "github.com/aws/smithy-go/auth/bearer"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// converse is an agent by the SDK of Bedrock.
type converse struct {
	client *bedrockruntime.Client
	model  string
	stream bool
	ms     []types.Message
}

func newConverse(way way, m mode, opts ...func(*bedrockruntime.Options)) *converse {
	return &converse{client: bedrockruntime.New(bedrockruntime.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(way.url), HTTPClient: way.client,
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts, o.MaxBackoff = m.retries+1,
				time.Millisecond
		}),
	}, opts...), model: m.model, stream: m.stream}
}

func (c *converse) User(text string) {
	c.ms = append(c.ms, types.Message{Role: types.ConversationRoleUser,
		Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: text}}})
}

func (c *converse) Results(rs []result) {
	m := types.Message{Role: types.ConversationRoleUser}
	for _, r := range rs {
		status := types.ToolResultStatusSuccess
		if r.Failed {
			status = types.ToolResultStatusError
		}
		m.Content = append(m.Content, &types.ContentBlockMemberToolResult{Value: types.ToolResultBlock{
			ToolUseId: aws.String(r.ID), Status: status,
			Content: []types.ToolResultContentBlock{&types.ToolResultContentBlockMemberText{Value: r.Text}}}})
	}
	c.ms = append(c.ms, m)
}

func (c *converse) History() string { return encoded(c.ms) }

var system = []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: "You are an agent."}}

func toolConfig() *types.ToolConfiguration {
	out := &types.ToolConfiguration{}
	for _, name := range tools {
		out.Tools = append(out.Tools, &types.ToolMemberToolSpec{Value: types.ToolSpecification{
			Name:        aws.String(name),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(schema)}}})
	}
	return out
}

func (c *converse) Ask(ctx context.Context) (answer, error) {
	var m types.Message
	var u *types.TokenUsage
	var err error
	if c.stream {
		m, u, err = c.asStream(ctx)
	} else {
		var out *bedrockruntime.ConverseOutput
		out, err = c.client.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String(c.model),
			Messages: c.ms, System: system, ToolConfig: toolConfig()})
		if err == nil {
			m, u = out.Output.(*types.ConverseOutputMemberMessage).Value, out.Usage
		}
	}
	if err != nil {
		return answer{}, err
	}
	c.ms = append(c.ms, m)
	a := answer{Prompt: int64(*u.InputTokens + *u.CacheReadInputTokens + *u.CacheWriteInputTokens),
		Output: int64(*u.OutputTokens)}
	for _, b := range m.Content {
		switch b := b.(type) {
		case *types.ContentBlockMemberText:
			a.Text += b.Value
		case *types.ContentBlockMemberReasoningContent:
			a.Thinking += *b.Value.(*types.ReasoningContentBlockMemberReasoningText).Value.Text
		case *types.ContentBlockMemberToolUse:
			args, err := b.Value.Input.MarshalSmithyDocument()
			if err != nil {
				return a, err
			}
			a.Calls = append(a.Calls, modelapi.Call{ID: *b.Value.ToolUseId, Name: *b.Value.Name, Args: string(args)})
		}
	}
	return a, nil
}

// asStream puts the message together, which this SDK leaves to its caller.
func (c *converse) asStream(ctx context.Context) (m types.Message, u *types.TokenUsage, err error) {
	out, err := c.client.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: aws.String(c.model),
		Messages: c.ms, System: system, ToolConfig: toolConfig()})
	if err != nil {
		return m, nil, err
	}
	s := out.GetStream()
	defer s.Close()
	var use types.ToolUseBlock
	var text, thought, args, sign string
	for e := range s.Events() {
		switch e := e.(type) {
		case *types.ConverseStreamOutputMemberMessageStart:
			m.Role = e.Value.Role
		case *types.ConverseStreamOutputMemberContentBlockStart:
			if st, ok := e.Value.Start.(*types.ContentBlockStartMemberToolUse); ok {
				use = types.ToolUseBlock{ToolUseId: st.Value.ToolUseId, Name: st.Value.Name}
			}
		case *types.ConverseStreamOutputMemberContentBlockDelta:
			switch d := e.Value.Delta.(type) {
			case *types.ContentBlockDeltaMemberText:
				text += d.Value
			case *types.ContentBlockDeltaMemberToolUse:
				args += *d.Value.Input
			case *types.ContentBlockDeltaMemberReasoningContent:
				switch r := d.Value.(type) {
				case *types.ReasoningContentBlockDeltaMemberText:
					thought += r.Value
				case *types.ReasoningContentBlockDeltaMemberSignature:
					sign = r.Value
				}
			}
		case *types.ConverseStreamOutputMemberContentBlockStop:
			switch {
			case thought != "":
				m.Content = append(m.Content, &types.ContentBlockMemberReasoningContent{
					Value: &types.ReasoningContentBlockMemberReasoningText{
						Value: types.ReasoningTextBlock{Text: aws.String(thought), Signature: aws.String(sign)}}})
			case text != "":
				m.Content = append(m.Content, &types.ContentBlockMemberText{Value: text})
			default:
				use.Input = document.NewLazyDocument(object(args))
				m.Content = append(m.Content, &types.ContentBlockMemberToolUse{Value: use})
			}
			text, thought, args, sign = "", "", "", ""
		case *types.ConverseStreamOutputMemberMetadata:
			u = e.Value.Usage
		}
	}
	if err := s.Err(); err != nil || u == nil {
		// this SDK takes a stream that is torn off for one that is over
		return m, nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return m, u, nil
}

// bearer signs nothing: the token goes into a header, as with AWS_BEARER_TOKEN_BEDROCK.
func bearer(o *bedrockruntime.Options) {
	o.BearerAuthTokenProvider = auth.StaticTokenProvider{Token: auth.Token{Value: "token"}}
	o.AuthSchemePreference = []string{"httpBearerAuth"}
}
