import { guardrail } from 'portcullis/sdk';
import { credentials } from './credentials.ts';
import { sydeguard } from './sydeguard.ts';

export default guardrail({ credentials, checks: { sydeguard } });
