package mcpconn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
)

// signInNeeded begins the reason of a server that wants the person to sign in.
const signInNeeded = "sign-in needed"

// signInTimeout bounds every request of a sign-in.
const signInTimeout = 30 * time.Second

// loginStore is the tokens of one server, as the client library keeps them.
type loginStore struct {
	logins state.Logins
	url    string

	mu    sync.Mutex
	login state.Login // what a token that is saved belongs to
}

// GetToken returns the token that is kept.
func (s *loginStore) GetToken(ctx context.Context) (*transport.Token, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	login, err := s.logins.Get(s.url)
	if errors.Is(err, state.ErrNoLogin) {
		return nil, transport.ErrNoToken
	}
	if err != nil {
		return nil, err
	}
	return &transport.Token{AccessToken: login.Access, TokenType: login.Type, RefreshToken: login.Refresh, Scope: login.Scope, ExpiresAt: login.Expires}, nil
}

// SaveToken keeps a token, new or refreshed.
func (s *loginStore) SaveToken(ctx context.Context, token *transport.Token) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	login := s.login
	s.mu.Unlock()
	login.URL = s.url
	login.Access, login.Type, login.Refresh, login.Scope, login.Expires = token.AccessToken, token.TokenType, token.RefreshToken, token.Scope, token.ExpiresAt
	return s.logins.Keep(login)
}

func (s *loginStore) set(login state.Login) {
	s.mu.Lock()
	s.login = login
	s.mu.Unlock()
}

// oauthConfig is what the client library needs to know. The client is the one
// that was registered at the sign-in, if there was one.
func oauthConfig(server config.Server, store *loginStore, client *http.Client, redirect string) transport.OAuthConfig {
	return transport.OAuthConfig{
		ClientID: store.login.ClientID, ClientSecret: store.login.ClientSecret, TokenEndpointAuthMethod: store.login.AuthMethod,
		RedirectURI: redirect, TokenStore: store, PKCEEnabled: true, HTTPClient: client,
	}
}

// loginOf returns the tokens kept for a server. Those of another issuer than the
// server names today are dropped: they are not for the one to show them to.
func (c *connection) loginOf(ctx context.Context, server config.Server, logins state.Logins, client *http.Client) *loginStore {
	store := &loginStore{logins: logins, url: server.URL}
	login, err := logins.Get(server.URL)
	if err != nil {
		return store
	}
	store.set(login)
	ctx, cancel := context.WithTimeout(ctx, signInTimeout)
	defer cancel()
	handler := transport.NewOAuthHandler(oauthConfig(server, store, client, ""))
	handler.SetBaseURL(bare(server.URL))
	if meta, err := handler.GetServerMetadata(ctx); err == nil && meta.Issuer != login.Issuer {
		c.log(fmt.Sprintf("the sign-in is dropped: the server's issuer is now %s", c.redact.Redact(meta.Issuer)))
		if err := logins.Drop(server.URL); err != nil {
			c.log(err.Error())
		}
		store.set(state.Login{})
	}
	return store
}

// bare is an address without query and fragment, from which the library finds
// where to sign in.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

// SignIn is one sign-in under way: the person opens URL in a browser and agrees
// there. It must be closed.
type SignIn struct {
	URL      string // to open in a browser
	Redirect string // where the browser is sent to afterwards: here

	hub      *Hub
	server   string
	store    *loginStore
	handler  *transport.OAuthHandler
	verifier string
	answers  chan url.Values
	listener *http.Server
	done     sync.WaitGroup
}

// SignIn begins a sign-in at a server with auth: oauth: it finds the
// authorization server, registers this program there and listens for the answer
// on this machine. Nothing of it happens unless a person asks for it.
func (h *Hub) SignIn(ctx context.Context, name string) (*SignIn, error) {
	r, err := h.runner(name)
	if err != nil {
		return nil, err
	}
	if !r.server.OAuth {
		return nil, fmt.Errorf("server %s does not have auth: oauth", name)
	}
	fail := func(what string, err error) error {
		return fmt.Errorf("server %s: %s: %s", name, what, r.redact.Redact(innermost(err)))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fail("listening for the answer", err)
	}
	s := &SignIn{
		Redirect: fmt.Sprintf("http://%s/callback", listener.Addr()), hub: h, server: name,
		store: &loginStore{logins: h.opts.Logins, url: r.server.URL}, answers: make(chan url.Values, 1),
	}
	s.listener = &http.Server{Handler: http.HandlerFunc(s.answered), ReadHeaderTimeout: signInTimeout}
	s.done.Go(func() { s.listener.Serve(listener) })
	if err := s.begin(ctx, r.server); err != nil {
		s.Close()
		return nil, fail("the sign-in cannot begin", err)
	}
	return s, nil
}

// begin makes the address to open.
func (s *SignIn) begin(ctx context.Context, server config.Server) error {
	ctx, cancel := context.WithTimeout(ctx, signInTimeout)
	defer cancel()
	tls, err := tlsConfig(server)
	if err != nil {
		return err
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = tls
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: base, Timeout: signInTimeout}
	s.handler = transport.NewOAuthHandler(oauthConfig(server, s.store, client, s.Redirect))
	s.handler.SetBaseURL(bare(server.URL))
	// The refusal of a request without a token says where to sign in.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("{}"))
	if err != nil {
		return errors.New("the url is not a valid address")
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	s.handler.HandleUnauthorizedResponse(resp)
	meta, err := s.handler.GetServerMetadata(ctx)
	if err != nil {
		return err
	}
	if err := s.handler.RegisterClient(ctx, "toolscope"); err != nil {
		return err
	}
	s.store.set(state.Login{
		Issuer: meta.Issuer, ClientID: s.handler.GetClientID(), ClientSecret: s.handler.GetClientSecret(), AuthMethod: s.handler.GetTokenEndpointAuthMethod(),
	})
	if s.verifier, err = transport.GenerateCodeVerifier(); err != nil {
		return err
	}
	word, err := transport.GenerateState()
	if err != nil {
		return err
	}
	s.URL, err = s.handler.GetAuthorizationURL(ctx, word, transport.GenerateCodeChallenge(s.verifier))
	return err
}

// answered takes the browser's answer.
func (s *SignIn) answered(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/callback" {
		http.NotFound(w, r)
		return
	}
	select {
	case s.answers <- r.URL.Query():
	default:
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "toolscope has the answer. This window can be closed.")
}

// Paste takes the address that a browser on another machine was sent to, where
// it found nobody.
func (s *SignIn) Paste(address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Query().Get("code") == "" && u.Query().Get("error") == "" {
		return errors.New("this is not the address the browser was sent to: it has a code in it")
	}
	select {
	case s.answers <- u.Query():
	default:
	}
	return nil
}

// Wait waits for the answer and keeps the tokens; the server is tried again
// with them. It ends with ctx.
func (s *SignIn) Wait(ctx context.Context) error {
	var answer url.Values
	select {
	case answer = <-s.answers:
	case <-ctx.Done():
		return ctx.Err()
	}
	if refused := answer.Get("error"); refused != "" {
		return fmt.Errorf("server %s: the sign-in was refused: %s", s.server, strings.TrimSpace(refused+" "+answer.Get("error_description")))
	}
	ctx, cancel := context.WithTimeout(ctx, signInTimeout)
	defer cancel()
	if err := s.handler.ProcessAuthorizationResponse(ctx, answer.Get("code"), answer.Get("state"), s.verifier); err != nil {
		return fmt.Errorf("server %s: the sign-in failed: %w", s.server, err)
	}
	return s.hub.Retry(s.server)
}

// Close ends a sign-in, done or not.
func (s *SignIn) Close() {
	s.listener.Close()
	s.done.Wait()
}
