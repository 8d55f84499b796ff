package mcpconn

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
)

// guardedServer is a server that wants to know who one is, with its own
// authorization server: metadata, registration, PKCE, refresh.
type guardedServer struct {
	*httptest.Server
	mu         sync.Mutex
	issuer     string // told in the metadata; the server's own address where empty
	challenges map[string]string
	clients    int
	issued     int
	refreshed  int
	expires    int64
	good       map[string]bool // access tokens
}

func guarded(t *testing.T) *guardedServer {
	_, h := real(t)
	g := &guardedServer{challenges: map[string]string{}, good: map[string]bool{}, expires: 3600}
	g.Server = serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := func(v any) {
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(v)
		}
		g.mu.Lock()
		locked := true
		defer func() {
			if locked {
				g.mu.Unlock()
			}
		}()
		switch {
		case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource"):
			answer(map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL + g.issuer}})
		case strings.HasPrefix(r.URL.Path, "/.well-known/"):
			answer(map[string]any{
				"issuer": g.URL + g.issuer, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token", "registration_endpoint": g.URL + "/register",
				"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
			})
		case r.URL.Path == "/register":
			g.clients++
			w.WriteHeader(http.StatusCreated)
			answer(map[string]any{"client_id": fmt.Sprint("client-", g.clients), "token_endpoint_auth_method": "none"})
		case r.URL.Path == "/authorize":
			q := r.URL.Query()
			code := fmt.Sprint("code-", len(g.challenges))
			g.challenges[code] = q.Get("code_challenge")
			http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
		case r.URL.Path == "/token":
			r.ParseForm()
			if r.Form.Get("grant_type") == "refresh_token" {
				g.refreshed++
			} else {
				sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
				if challenge := g.challenges[r.Form.Get("code")]; challenge == "" || challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
					w.WriteHeader(http.StatusBadRequest)
					answer(map[string]any{"error": "invalid_grant"})
					return
				}
			}
			g.issued++
			token := fmt.Sprint("t0ken-", g.issued)
			g.good[token] = true
			answer(map[string]any{"access_token": token, "token_type": "Bearer", "refresh_token": fmt.Sprint("refresh-", g.issued), "expires_in": g.expires})
		case !g.good[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]:
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource"`, g.URL))
			w.WriteHeader(http.StatusUnauthorized)
		default:
			g.mu.Unlock()
			locked = false
			h.ServeHTTP(w, r)
		}
	}))
	return g
}

// browse opens an address as a browser does, and returns where it ended.
func browse(t *testing.T, address string, follow bool) string {
	t.Helper()
	client := &http.Client{}
	if !follow {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	defer client.CloseIdleConnections()
	resp, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if !follow {
		return resp.Header.Get("Location")
	}
	return resp.Request.URL.String()
}

func TestSignIn(t *testing.T) {
	g := guarded(t)
	entry := remote(g.URL + "/mcp")
	entry.OAuth = true
	opts := Options{Grace: 400 * time.Millisecond, Logins: state.NewLogins(t.TempDir()), Backoff: []time.Duration{time.Millisecond}}
	w := openWith(t, opts, entry)
	want(t, w.state(StateFailed).Reason, "sign-in needed")

	signIn, err := w.hub.SignIn(t.Context(), "srv")
	if err != nil {
		t.Fatal(err)
	}
	defer signIn.Close()
	if g.clients != 1 || !strings.HasPrefix(signIn.URL, g.URL+"/authorize?") {
		t.Errorf("%d clients, %s", g.clients, signIn.URL)
	}
	browse(t, signIn.URL, true)
	if err := signIn.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.state(StateReady)
	equal(t, w.names(), []string{"echo"})
	if all := fmt.Sprintf("%+v", w.seen); strings.Contains(all, "t0ken-") || strings.Contains(all, "refresh-") {
		t.Error("a token was told")
	}

	// The next run has the tokens; one that has expired is refreshed.
	login, err := opts.Logins.Get(entry.URL)
	if err != nil {
		t.Fatal(err)
	}
	login.Expires = time.Now().Add(-time.Hour)
	if err := opts.Logins.Keep(login); err != nil {
		t.Fatal(err)
	}
	openWith(t, opts, entry).state(StateReady)
	if g.refreshed != 1 {
		t.Errorf("refreshed %d times", g.refreshed)
	}

	// Another issuer: the tokens are not for it.
	g.mu.Lock()
	g.issuer = "/other"
	g.mu.Unlock()
	again := openWith(t, opts, entry)
	again.state(StateFailed)
	want(t, again.lines(), "the sign-in is dropped")
	if _, err := opts.Logins.Get(entry.URL); err == nil {
		t.Error("the tokens of the old issuer are still there")
	}
}

// In a remote shell the browser's answer is pasted.
func TestSignInPasted(t *testing.T) {
	g := guarded(t)
	entry := remote(g.URL + "/mcp")
	entry.OAuth = true
	w := openWith(t, Options{Grace: 400 * time.Millisecond, Logins: state.NewLogins(t.TempDir())}, entry)
	w.state(StateFailed)
	signIn, err := w.hub.SignIn(t.Context(), "srv")
	if err != nil {
		t.Fatal(err)
	}
	defer signIn.Close()
	if err := signIn.Paste("http://x.example/"); err == nil {
		t.Error("an address without a code was taken")
	}
	if err := signIn.Paste(browse(t, signIn.URL, false)); err != nil {
		t.Fatal(err)
	}
	if err := signIn.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.state(StateReady)
}

func TestSignInRefused(t *testing.T) {
	g := guarded(t)
	entry := remote(g.URL + "/mcp")
	entry.OAuth = true
	plain := remote(g.URL + "/mcp")
	plain.Name = "plain"
	w := openWith(t, Options{Grace: 400 * time.Millisecond, Logins: state.NewLogins(t.TempDir())}, entry, plain)
	if _, err := w.hub.SignIn(t.Context(), "plain"); err == nil {
		t.Error("a server without auth: oauth was signed in at")
	}
	if _, err := w.hub.SignIn(t.Context(), "nobody"); err == nil {
		t.Error("nobody was signed in at")
	}
	for query, says := range map[string]string{"error=access_denied&error_description=no+way": "the sign-in was refused: access_denied no way", "code=code-9&state=wrong": "the sign-in failed"} {
		signIn, err := w.hub.SignIn(t.Context(), "srv")
		if err != nil {
			t.Fatal(err)
		}
		browse(t, signIn.Redirect+"?"+query, true)
		if err := signIn.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", query, err)
		}
		signIn.Close()
	}
	signIn, err := w.hub.SignIn(t.Context(), "srv")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := signIn.Wait(ended); err == nil {
		t.Error("it waits on")
	}
	signIn.Close()
	gone := config.Server{Name: "gone", Transport: config.TransportHTTP, URL: "http://127.0.0.1:1/mcp", OAuth: true, Timeout: patience, ConnectTimeout: patience}
	w = openWith(t, Options{}, gone)
	if _, err := w.hub.SignIn(t.Context(), "gone"); err == nil || !strings.Contains(err.Error(), "cannot begin") {
		t.Errorf("nobody there: %v", err)
	}
}
