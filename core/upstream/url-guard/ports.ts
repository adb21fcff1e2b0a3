/** Ports of services that speak no model API but do act on a stray HTTP request. Only a trusted host may use them. */
const blockedPorts: ReadonlySet<number> = new Set([
  ...[20, 21, 22, 23, 69, 137, 138, 512, 513, 514, 515, 873, 3389, 5900, 5985, 5986, 6000], // files, shells, desktops
  ...[25, 110, 143, 465, 587, 993, 995], // mail
  ...[53, 111, 135, 139, 161, 389, 445, 636, 2049], // names, directories, shares
  ...[1433, 1434, 1521, 3306, 5432, 6379, 6380, 7001], // databases
  ...[8086, 9042, 9160, 9200, 9300, 11211, 27017, 27018, 27019, 28015, 5984],
  ...[2181, 4369, 5671, 5672, 9092, 15672, 25672], // queues
  ...[2375, 2376, 2377, 2379, 2380, 6443, 8500, 10250, 10255, 10256, 10257, 10259], // containers, clusters
]);

/** Why a port is refused, or `undefined` when it is fine for any host. */
export function portFault(port: number): string | undefined {
  if (!blockedPorts.has(port)) return undefined;
  return `port ${port} belongs to another kind of service; only a host that the operator trusts may use it`;
}
