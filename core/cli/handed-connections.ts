import type { Worker } from 'node:cluster';

interface Connection {
  close(): void;
}

/**
 * Closes the connection that a worker was being handed when it died. Node hands each worker one at a time and forgets it
 * with the worker: it would stay open, and its client would wait for ever.
 * @returns what to call with each worker that is started
 */
export function closeUnanswered(): (worker: Worker) => void {
  const handed = new Map<number, Connection>();
  return ({ id, process }) => {
    const send = process.send.bind(process) as (...sent: readonly unknown[]) => boolean;
    const watched = (...sent: readonly unknown[]): boolean => {
      const [message, connection] = sent;
      if (isConnection(message, connection)) {
        // One that a worker has declined is handed to the next, and is no longer the first one's.
        for (const [other, earlier] of handed) if (earlier === connection) handed.delete(other);
        handed.set(id, connection);
      }
      return send(...sent);
    };
    Object.assign(process, { send: watched });
    // One that it had accepted is closed here already: to close it again does nothing.
    process.once('exit', () => {
      handed.get(id)?.close();
      handed.delete(id);
    });
  };
}

function isConnection(message: unknown, handle: unknown): handle is Connection {
  return (message as { readonly act?: unknown } | undefined)?.act === 'newconn' && handle !== undefined;
}
