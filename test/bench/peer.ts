import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, runToEnd, startChild, untilListening } from './children.ts';
import { temporaryFolder } from './folders.ts';
import type { Row } from './row.ts';

const installLimitMs = 240_000;
const name = '@portkey-ai/gateway';
// The versions of its own lock file: with newer ones it answers 500 to every stream.
const overrides = { hono: '4.9.7', '@hono/node-server': '1.13.5', '@hono/node-ws': '1.2.0' };

/** The open-source peer, installed from npm into a folder that is removed afterwards. No policy is switched on. */
export const peer: Row = {
  name: 'peer',
  about: `${name} 1.15.2 with the dependency versions of its own lock, no policy on, same Node`,
  async start(upstream, core) {
    const { path: folder, remove } = temporaryFolder('peer');
    try {
      await install(folder);
      const port = await freePort();
      const server = join(folder, 'node_modules', name, 'build', 'start-server.js');
      const args = ['--import', loopbackOnly(), server, `--port=${port}`, '--headless'];
      const child = startChild(process.execPath, args, { core, cwd: folder });
      await untilListening(child, port);
      return {
        origin: `http://127.0.0.1:${port}`,
        headers: {
          authorization: 'Bearer test-key',
          'x-portkey-provider': 'openai',
          'x-portkey-custom-host': `${upstream}/v1`,
        },
        pid: child.pid,
        async stop() {
          await child.stop();
          remove();
        },
      };
    } catch (error) {
      remove();
      throw error;
    }
  },
};

async function install(folder: string): Promise<void> {
  const manifest = { name: 'bench-peer', private: true, dependencies: { [name]: '1.15.2' }, overrides };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runToEnd('npm', args, installLimitMs, folder);
}

// It has no option for the address and would listen on all of them.
function loopbackOnly(): string {
  const code = `
    import { Server } from 'node:net';
    const listen = Server.prototype.listen;
    Server.prototype.listen = function (...args) {
      if (typeof args[0] === 'number') args = [{ port: args[0], host: '127.0.0.1' }, ...args.filter((arg) => typeof arg === 'function')];
      return listen.apply(this, args);
    };`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
