/** Renders the simulators' pages: plain, distinct from ours, usable with a keyboard and without scripts. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { escapeHtml } from '../../../engine/index.ts'
import type { Fields } from './message-fields.ts'

/**
 * Sends a page of a simulator with headers as strict as ours. `formAction` contains the URLs to which its forms
 * may post.
 */
export function sendSimulatorPage(
  reply: FastifyReply,
  html: string,
  status = 200,
  formAction = "'self'",
): FastifyReply {
  return reply
    .code(status)
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
    )
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .type('text/html; charset=utf-8')
    .send(html)
}

export function renderPage(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} – Sandbox gateway</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">${head}
</head>
<body>
<a class="skip" href="#main">Skip to main content</a>
<header><p><strong>Sandbox gateway</strong> <span>for rehearsals: no real money moves here</span></p></header>
<main id="main">
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`
}

/** Renders labels with their texts as a list. */
export const renderDetails = (rows: readonly (readonly string[])[]): string =>
  `<dl>${rows.map(([label = '', text = '']) => `<div><dt>${label}</dt><dd>${escapeHtml(text)}</dd></div>`).join('')}</dl>`

/** Renders one button for each possible result of a payment. The button posts the result's id as `do`. */
export function renderActions(
  actions: Readonly<Record<string, { readonly label: string; readonly about: string }>>,
): string {
  const buttons = Object.entries(actions).map(
    ([id, { label, about }]) =>
      `<li><button type="submit" name="do" value="${id}" aria-describedby="about-${id}"${id === 'pay' ? ' class="pay"' : ''}>${label}</button><span id="about-${id}">${about}</span></li>`,
  )
  return `<form method="post">
<h2 id="how">Choose what happens to this payment</h2>
<ul aria-labelledby="how">
${buttons.join('\n')}
</ul>
</form>`
}

/** Sends the browser back with a posted form; the button is for browsers without scripts. */
export function renderReturn(title: string, address: string, fields: Fields): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  return renderPage(
    title,
    `<p role="status">Going back to the event.</p>
<form id="return" method="post" action="${escapeHtml(address)}">
${inputs.join('\n')}
<button type="submit" class="pay">Continue</button>
</form>`,
    '\n<script src="/return.js" defer></script>',
  )
}

/** Reads the fields of a posted form. */
export function readForm(request: FastifyRequest): Fields {
  const { body } = request
  if (typeof body !== 'object' || body === null) return {}
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )
}

export const RETURN_SCRIPT = `document.getElementById('return').submit()\n`

export const STYLE = `
*{box-sizing:border-box}
body{margin:0;background:#f3f1ec;color:#1f1d1a;font:17px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header{background:#3a2f5b;color:#fff}
.skip{position:absolute;left:.75rem;top:-4rem;padding:.625rem 1rem;background:#fff;color:#1f1d1a}
.skip:focus{top:.5rem}
header p{max-width:44rem;margin:0 auto;padding:.75rem 1.25rem;display:flex;flex-wrap:wrap;gap:0 .75rem}
main{max-width:44rem;margin:0 auto;padding:1.25rem}
h1{font-size:1.75rem;line-height:1.25;margin:.5rem 0 1rem;font-variant-numeric:tabular-nums}
h2{font-size:1.25rem;margin:2rem 0 .25rem}
dl{margin:0;border-top:2px solid #1f1d1a}
dl div{display:grid;grid-template-columns:7rem 1fr;gap:1rem;padding:.5rem 0;border-bottom:1px solid #cfcabd}
dt{color:#57524a}
dd{margin:0;font-variant-numeric:tabular-nums}
ul{list-style:none;margin:0;padding:0}
li{display:grid;grid-template-columns:17rem 1fr;gap:.25rem 1.25rem;align-items:center;padding:.625rem 0;border-bottom:1px solid #cfcabd}
li span{color:#57524a}
input{display:block;box-sizing:border-box;width:100%;max-width:24rem;min-height:3rem;margin:.25rem 0 .75rem;padding:.5rem .75rem;font:inherit;border:2px solid #7a746a;border-radius:4px}
button{min-height:3rem;padding:.5rem 1rem;font:inherit;font-weight:600;text-align:left;color:#1f1d1a;background:#fff;border:2px solid #7a746a;border-radius:4px;cursor:pointer}
li button{width:100%}
form[method=get] p{display:flex;flex-wrap:wrap;align-items:end;gap:.75rem}
form[method=get] label{flex:0 1 24rem}
form[method=get] input{margin-bottom:0}
button:hover{border-color:#3a2f5b}
button.pay{color:#fff;background:#3a2f5b;border-color:#3a2f5b}
button:focus-visible{outline:3px solid #1050ac;outline-offset:2px}
.orders{border-top:2px solid #1f1d1a}
.orders li{grid-template-columns:1fr 15rem;font-variant-numeric:tabular-nums}
@media (max-width:40rem){li,.orders li{grid-template-columns:1fr}dl div{grid-template-columns:5.5rem 1fr}}
@media (max-width:22.4rem){dl div{grid-template-columns:1fr;gap:0}}
`
