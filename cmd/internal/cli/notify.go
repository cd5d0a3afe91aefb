package cli

import (
	"context"
	"log/slog"
	"net"
	"os"
	"strings"
)

// Ready tells the service manager that started this program that it does its work now, and shows it a line about that
// (systemd: Type=notify). Without such a manager it does nothing.
func Ready(ctx context.Context, status string) { notify(ctx, "READY=1\nSTATUS="+oneLine(status)) }

// notify sends a message to the socket that systemd names in NOTIFY_SOCKET (sd_notify(3)).
func notify(ctx context.Context, message string) {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unixgram", name) // a name that begins with @ is abstract
	if err == nil {
		_, err = conn.Write([]byte(message))
		_ = conn.Close() // a datagram was sent or not
	}
	if err != nil {
		slog.WarnContext(ctx, "the service manager was not told", "socket", name, "cause", err)
	}
}

// oneLine makes a text fit for a line of the message.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
