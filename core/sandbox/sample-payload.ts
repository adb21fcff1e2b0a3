/**
 * What `payloadOf` writes of a short chat request, with the same members in the same order: the engine makes the shapes of objects
 * once in each context, and a context is warmed with this one. (The sandbox's process may read nothing of which it could be made.)
 */
export const samplePayload = `${JSON.stringify({
  step: 'run',
  check: 'default',
  now: 0,
  credentials: {},
  config: {},
  input: {
    texts: [['user', 'text', 0, 0]],
    turns: [['user', 0]],
    text: -1,
    content: -1,
    prompt: 0,
    lengths: [1],
    reply: null,
    organisationId: 'o',
    workspaceId: 'w',
    rest: {
      phase: 'beforeRequest',
      endpoint: 'chatComplete',
      provider: 'p',
      model: 'm',
      stream: false,
      images: [],
      callsTools: false,
      changed: { request: false, reply: false },
      body: { model: 'm', messages: [{ role: 'user', content: 'a' }] },
      headers: {},
      metadata: {},
      requestId: 'r',
      traceId: 't',
    },
  },
})}\na`;
