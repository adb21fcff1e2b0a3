/** As the gateway reads an entry of `permissions.net`. */
export function covers(entry: string, hostname: string, port: string): boolean {
  const [host = '', allowedPort] = entry.toLowerCase().split(':');
  if (allowedPort !== '*' && allowedPort !== port) return false;
  if (host === '*' || host === hostname) return true;
  return host.startsWith('*.') && hostname.endsWith(host.slice(1)) && hostname.length >= host.length;
}
