package mcpconn

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"toolscope/mcpconn/config"
)

// tlsConfig is how the other side of an HTTPS connection is checked, and what
// it is shown of ours. Errors name the file, never what is in it.
func tlsConfig(server config.Server) (*tls.Config, error) {
	out := &tls.Config{InsecureSkipVerify: server.SkipVerify}
	if server.CAFile != "" {
		pem, err := os.ReadFile(server.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ssl_verify: the CA file %s cannot be read: check the path", server.CAFile)
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("ssl_verify: there is no certificate in %s: it has to be a PEM file", server.CAFile)
		}
	}
	if server.ClientCert == "" {
		return out, nil
	}
	key := server.ClientKey
	if key == "" {
		key = server.ClientCert // both in one file
	}
	pair, err := tls.LoadX509KeyPair(server.ClientCert, key)
	if err != nil {
		return nil, fmt.Errorf("client_cert: certificate %s and key %s cannot be used: they have to be PEM files that belong together", server.ClientCert, key)
	}
	out.Certificates = []tls.Certificate{pair}
	return out, nil
}
