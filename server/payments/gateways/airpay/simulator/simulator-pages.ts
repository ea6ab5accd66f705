/**
 * Renders the sandbox gateway's pages: plain, distinct from ours, usable by keyboard without scripts.
 */
import type { FastifyReply } from 'fastify'
import { INR, escapeHtml, formatMoney, readAmount } from '../../../../../engine/index.ts'
import type { Fields } from '../parse-message.ts'

export type Stage = 'open' | 'in-process' | 'paid' | 'declined' | 'dropped'
export type SandboxOrder = {
  readonly orderId: string
  readonly merchantId: string
  /** Opens the order's page; cannot be guessed. */
  readonly token: string
  readonly email: string
  readonly name: string
  /** As the checkout form requested it: "7080.00". */
  readonly asked: string
  readonly stage: Stage
  /** APTRANSACTIONID, once there is a transaction. */
  readonly reference: string | null
  /** The amount the sandbox received; null if nothing. */
  readonly paid: string | null
  /**
   * When the payment arrived, in milliseconds since 1970; null if it has not. Missing in orders from an older file.
   */
  readonly paidAt?: number | null
  /** When a payment in progress arrives, in milliseconds since 1970. */
  readonly dueAt: number | null
  /** True if a webhook has not been accepted yet; after a restart it is sent again. */
  readonly owed: boolean
  readonly refunds: readonly { readonly reference: string; readonly amount: string }[]
  /** The next refund request is refused. */
  readonly refusesRefund?: boolean
}

/** Every possible result of a payment, in the order of the page. */
export const ACTIONS = {
  pay: { label: 'Pay', about: 'The payment succeeds. You return, and the webhook follows.' },
  decline: {
    label: 'Decline',
    about: 'The bank declines the payment. You return without having paid.',
  },
  leave: { label: 'Abandon', about: 'You leave. Nothing is sent, and you do not return.' },
  later: {
    label: 'Pay later',
    about:
      'You return while the bank is still processing the payment, which arrives a little later.',
  },
  wrong: { label: 'Pay a wrong amount', about: 'The payment is one rupee short.' },
  twice: {
    label: 'Pay, notice twice',
    about: 'The payment succeeds once. Two webhooks arrive at the same moment.',
  },
  first: {
    label: 'Pay, notice before return',
    about: 'The webhook arrives before you return.',
  },
  silent: {
    label: 'Pay, notice lost',
    about: 'The payment succeeds and you return. No webhook arrives.',
  },
  stay: {
    label: 'Pay, close the window',
    about: 'The payment succeeds and the webhook arrives. You do not return.',
  },
} as const
export type Action = keyof typeof ACTIONS

const STAGE_LABELS: Readonly<Record<Stage, string>> = {
  open: 'Not paid yet',
  'in-process': 'In progress at the bank',
  paid: 'Paid',
  declined: 'Declined',
  dropped: 'Abandoned',
}

const formatAmount = (text: string): string => {
  const amount = readAmount(text, INR)
  return amount === null ? text : formatMoney(amount, INR)
}

/** Sends a page of a simulator with headers as strict as ours. `formAction`: the addresses to which its forms may post. */
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
<a class="skip" href="#main">Skip to the content</a>
<header><p><strong>Sandbox gateway</strong> <span>for rehearsals: no real money moves here</span></p></header>
<main id="main">
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`
}

function renderOrder(order: SandboxOrder): string {
  const rows = [
    ['Amount', formatAmount(order.asked)],
    ['Order', order.orderId],
    ['Name', order.name],
    ['Email', order.email],
    ['Merchant', order.merchantId],
  ]
  return `<dl>${rows.map(([label = '', text = '']) => `<div><dt>${label}</dt><dd>${escapeHtml(text)}</dd></div>`).join('')}</dl>`
}

export function renderPaymentPage(order: SandboxOrder): string {
  if (order.stage !== 'open') {
    const explanation =
      order.stage === 'in-process'
        ? 'The payment arrives automatically. You can close this window.'
        : 'This order has ended. To try again, go back to the event’s page.'
    return renderPage(STAGE_LABELS[order.stage], `${renderOrder(order)}\n<p>${explanation}</p>`)
  }
  const buttons = Object.entries(ACTIONS).map(
    ([id, { label, about }]) =>
      `<li><button type="submit" name="do" value="${id}" aria-describedby="about-${id}"${id === 'pay' ? ' class="pay"' : ''}>${label}</button><span id="about-${id}">${about}</span></li>`,
  )
  return renderPage(
    `Pay ${formatAmount(order.asked)}`,
    `${renderOrder(order)}
<form method="post">
<h2 id="how">How should this payment go?</h2>
<ul aria-labelledby="how">
${buttons.join('\n')}
</ul>
</form>`,
  )
}

/** Sends the browser back with a posted form; the button is for browsers without scripts. */
export function renderReturnPage(order: SandboxOrder, address: string, fields: Fields): string {
  const hiddenInputs = Object.entries(fields).map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  return renderPage(
    STAGE_LABELS[order.stage],
    `<p role="status">Going back to the event.</p>
<form id="return" method="post" action="${escapeHtml(address)}">
${hiddenInputs.join('\n')}
<button type="submit" class="pay">Continue</button>
</form>`,
    '\n<script src="/return.js" defer></script>',
  )
}

export function renderMessagePage(title: string, sentence: string): string {
  return renderPage(title, `<p>${escapeHtml(sentence)}</p>`)
}

const ORDER_FORM =
  '<form method="get" action="/"><p><label>Another order, by its id <input name="order" required></label> <button type="submit">Show</button></p></form>'

export function renderOrdersPage(orders: readonly SandboxOrder[]): string {
  if (orders.length === 0)
    return renderPage(
      'Orders',
      `<p>This browser has no orders. Register for an event, and its payment appears here.</p>\n${ORDER_FORM}`,
    )
  const rows = orders.map((order) => {
    const receivedText =
      order.paid === null || order.paid === order.asked ? '' : `, ${formatAmount(order.paid)} came`
    const button =
      order.stage === 'paid'
        ? order.refusesRefund === true
          ? '<span>Its next refund is refused.</span>'
          : `<form method="post" action="/orders/${order.token}/refuse"><button type="submit" aria-label="Refuse the next refund of ${escapeHtml(order.orderId)}">Refuse its next refund</button></form>`
        : `<form method="post" action="/orders/${order.token}/settle"><button type="submit" aria-label="Let the money come for ${escapeHtml(order.orderId)}">Let the money come</button></form>`
    return `<li><div><strong>${escapeHtml(order.orderId)}</strong><br><span>${formatAmount(order.asked)}, ${STAGE_LABELS[order.stage].toLowerCase()}${receivedText}</span></div>${button}</li>`
  })
  return renderPage(
    'Orders',
    `<p>Newest first. You can pay an unpaid order from here, as a late payment. For a paid order, you can refuse the next refund.</p>\n<ul class="orders">\n${rows.join('\n')}\n</ul>\n${ORDER_FORM}`,
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
button{min-height:3rem;width:100%;padding:.5rem 1rem;font:inherit;font-weight:600;text-align:left;color:#1f1d1a;background:#fff;border:2px solid #7a746a;border-radius:4px;cursor:pointer}
button:hover{border-color:#3a2f5b}
button.pay{color:#fff;background:#3a2f5b;border-color:#3a2f5b}
button:focus-visible{outline:3px solid #1050ac;outline-offset:2px}
.orders{border-top:2px solid #1f1d1a}
.orders li{grid-template-columns:1fr 15rem;font-variant-numeric:tabular-nums}
@media (max-width:40rem){li,.orders li{grid-template-columns:1fr}dl div{grid-template-columns:5.5rem 1fr}}
@media (max-width:22.4rem){dl div{grid-template-columns:1fr;gap:0}}
`
