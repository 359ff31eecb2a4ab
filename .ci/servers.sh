# Sourced by the checks that need PostgreSQL servers of their own: a folder for
# everything, an account that a server accepts, and servers that end with the check.

# PostgreSQL and pgbouncer refuse to be root.
account=$(id -un)
[ "$account" != root ] || account=postgres
PATH=$PATH:/usr/sbin:$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
dir=$(mktemp -d /tmp/recon-check-XXXXXX)
work=$dir/work # ours; the rest of the folder is the account's
port=$((20000 + $$ % 10000))
servers=

as_account() {
	if [ "$(id -un)" = "$account" ]; then sh -c "$1"; else su "$account" -s /bin/sh -c "PATH=$PATH; $1"; fi
}

# start_server NAME starts a server with an empty database recon, and sets url to it.
start_server() {
	port=$((port + 1))
	mkdir "$dir/$1"
	[ "$(id -un)" = "$account" ] || chown "$account" "$dir/$1"
	as_account "initdb -D $dir/$1/data -A trust --no-sync >/dev/null"
	as_account "pg_ctl -D $dir/$1/data -w -l $dir/$1/log -o '-p $port -k $dir/$1 -c listen_addresses= -c fsync=off' start >/dev/null"
	servers="$servers $1"
	as_account "createdb -h $dir/$1 -p $port recon"
	url="postgres:///recon?host=$dir/$1&port=$port&user=$account"
}

stop_servers() {
	for server in $servers; do
		as_account "pg_ctl -D $dir/$server/data stop -m fast -w" >/dev/null 2>&1 || true
	done
	rm -rf "$dir"
}

chmod 755 "$dir"
mkdir "$work"
trap stop_servers EXIT INT TERM
