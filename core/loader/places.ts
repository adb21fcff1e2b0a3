/**
 * Whether one of the `host:port` entries of `permissions.net` covers the place. `*.` covers subdomains at any depth, `*`
 * every host, and in the place of the port every port.
 */
export function permits(entries: readonly string[], hostname: string, port: number): boolean {
  const host = hostname.toLowerCase();
  return entries.some((entry) => {
    const [pattern = '', entryPort] = entry.toLowerCase().split(':');
    if (entryPort !== '*' && Number(entryPort) !== port) return false;
    if (pattern === '*') return true;
    return pattern.startsWith('*.')
      ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length
      : host === pattern;
  });
}
