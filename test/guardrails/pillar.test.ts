import { join } from 'node:path';
import type { Json } from 'portcullis/sdk';
import { testCheck, testGuardrailFixtures } from 'portcullis/sdk/testing';
import pillar from '../../guardrails/pillar/index.ts';
import { protect } from '../../guardrails/pillar/protect.ts';
import { scan } from '../../guardrails/pillar/scan.ts';

testGuardrailFixtures(join(import.meta.dirname, '../../guardrails/pillar'), pillar);

const check = scan({ title: 'Scan', phase: 'beforeRequest', path: 'prompt', scanners: ['pii', 'secrets'] });
const config = { scanners: ['pii', 'secrets'] };

testCheck(check, {
  pass: [{ name: 'scanners that found nothing', config, host: says({ pii: false, secrets: null }) }],
  error: [
    { name: 'a scanner without result', config, host: says({ pii: false }), code: 'check_failed', message: /secrets/ },
  ],
  refused: [
    { config: {}, message: /scanners/ },
    { config: { scanners: [] }, message: /scanners/ },
    { config: { scanners: ['everything'] }, message: /scanners\[0\]/ },
  ],
});

testCheck(protect, {
  fail: [{ name: 'what is flagged, without scanners', host: says({ flagged: true }), why: 'Pillar flags it.' }],
  error: [
    {
      name: 'a scan that is only queued',
      host: says({ status: 'queued', session_id: 'async-session', position: 1 }, 202),
      code: 'check_failed',
      message: /without a verdict/,
    },
    { name: 'a verdict in words', host: says({ flagged: 'false' }), code: 'check_failed' },
  ],
  refused: [{ config: { scanners: ['pii'] }, message: /scanners/ }],
});

function says(reply: Json, status = 200) {
  const fetch = () => ({ status, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
  return { credentials: { apiKey: 'pillar-key' }, fetch };
}
