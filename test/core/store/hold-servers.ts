import { startMariaDb } from '../../support/mariadb.ts';
import { startRedis } from '../../support/redis.ts';

/** Starts what its argument names, tells its parent the port, and stays until it is killed. */
const server = process.argv[2] === 'redis' ? await startRedis() : await startMariaDb();
server.freeze();
process.send?.(server.port);
process.on('message', () => {});
