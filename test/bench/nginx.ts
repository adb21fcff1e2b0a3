import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, startChild, untilListening } from './children.ts';
import { temporaryFolder } from './folders.ts';
import { findProgram } from './programs.ts';
import type { Row } from './row.ts';

/** The floor of any proxy; undefined when nginx is not installed. */
export function nginxRow(): Row | undefined {
  const program = findProgram('nginx');
  if (program === undefined) return undefined;
  return {
    name: 'nginx',
    about: 'proxy_pass with upstream keep-alive, one process',
    async start(upstream, core) {
      const folder = temporaryFolder('nginx');
      const port = await freePort();
      const file = join(folder.path, 'nginx.conf');
      await writeFile(file, configText(folder.path, port, new URL(upstream).host));
      const child = startChild(program, ['-p', folder.path, '-e', 'stderr', '-c', file], { core });
      const stop = async () => {
        await child.stop();
        folder.remove();
      };
      try {
        await untilListening(child, port);
      } catch (error) {
        await stop();
        throw error;
      }
      return { origin: `http://127.0.0.1:${port}`, headers: {}, pid: child.pid, stop };
    },
  };
}

// One process instead of master and worker, so that its accounting is the whole of it. A stream is not buffered because
// the upstream says so in `x-accel-buffering`.
function configText(folder: string, port: number, upstream: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  ${places.map((place) => `${place}_temp_path ${folder}/${place};`).join('\n  ')}
  keepalive_requests 100000000;
  client_body_buffer_size 64k;
  upstream provider {
    server ${upstream};
    keepalive 256;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}
