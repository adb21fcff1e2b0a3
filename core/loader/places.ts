/** Whether one of the `host:port` entries of `permissions.net` covers the place; `*.` covers subdomains at any depth. */
export function permits(entries: readonly string[], hostname: string, port: number): boolean {
  const host = hostname.toLowerCase();
  return entries.some((entry) => {
    const [pattern = '', entryPort] = entry.toLowerCase().split(':');
    if (Number(entryPort) !== port) return false;
    return pattern.startsWith('*.')
      ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length
      : host === pattern;
  });
}
