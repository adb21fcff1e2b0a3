import { runCommand } from './cli/command.ts';

// Whoever reads what is printed may stop, as `| head` does: that ends no installation in the middle.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await runCommand(process.argv.slice(2));
