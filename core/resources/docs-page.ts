/** A page that shows the OpenAPI document without loading anything from elsewhere. */
export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Portcullis API</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24 }
summary { cursor: pointer; padding: .35rem 0 } code, pre { font: 13px/1.5 ui-monospace, monospace }
pre { background: #f4f5f7; padding: .75rem; overflow: auto; border-radius: 6px }
.method { display: inline-block; width: 4.5rem; font-weight: 600; text-transform: uppercase }
h2 { margin: 2rem 0 .5rem; border-bottom: 1px solid #d8dce1 } .needs { color: #57606a }
</style>
</head>
<body>
<h1>Portcullis API</h1>
<p>The whole document: <a href="/openapi.json">/openapi.json</a></p>
<main id="routes">Loading…</main>
<script type="module" src="/docs/page.js"></script>
</body>
</html>
`;

/** Text only ever reaches the page as text: nothing in the document can become markup. */
export const docsScript = `const element = (name, text, cls) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (cls !== undefined) made.className = cls;
  return made;
};
const { tags, paths } = await (await fetch('/openapi.json')).json();
const main = document.getElementById('routes');
main.textContent = '';
for (const { name } of tags) {
  main.append(element('h2', name));
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (!operation.tags.includes(name)) continue;
      const row = element('details');
      const head = element('summary');
      head.append(element('span', method, 'method'), element('code', path), ' ' + operation.summary);
      row.append(head, element('p', operation.description, 'needs'));
      const body = operation.requestBody?.content['application/json'].schema;
      if (body !== undefined) row.append(element('h4', 'Body'), element('pre', JSON.stringify(body, null, 2)));
      for (const [status, reply] of Object.entries(operation.responses)) {
        const schema = reply.content?.['application/json']?.schema;
        if (schema !== undefined && status !== 'default')
          row.append(element('h4', status), element('pre', JSON.stringify(schema, null, 2)));
      }
      main.append(row);
    }
  }
}
`;
