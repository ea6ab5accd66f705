/** Renders the sandbox gateway's pages: plain, distinct from ours, usable with a keyboard and without scripts. */
import { INR, escapeHtml, formatMoney, readAmount } from '../../../../../engine/index.ts'
import type { Fields } from '../../message-fields.ts'
import { renderActions, renderDetails, renderPage, renderReturn } from '../../simulator-page.ts'

export type Stage = 'open' | 'in-process' | 'paid' | 'declined' | 'dropped'
export type SandboxOrder = {
  readonly orderId: string
  readonly merchantId: string
  /** A secret that opens the order's page. */
  readonly token: string
  readonly email: string
  readonly name: string
  /** The amount as the checkout form requested it: "7080.00". */
  readonly asked: string
  readonly stage: Stage
  /** The APTRANSACTIONID, once there is a transaction. */
  readonly reference: string | null
  /** The amount that the sandbox received. Null if it received none. */
  readonly paid: string | null
  /**
   * The time at which the payment arrived, in milliseconds since 1970; null if it has not. Missing in orders from an
   * older file.
   */
  readonly paidAt?: number | null
  /** The time at which a payment in progress arrives, in milliseconds since 1970. */
  readonly dueAt: number | null
  /** True if a webhook has not been accepted yet. It is sent again after a restart. */
  readonly owed: boolean
  readonly refunds: readonly { readonly reference: string; readonly amount: string }[]
  /** If true, the next refund request is refused. */
  readonly refusesRefund?: boolean
}

/** Every possible result of a payment, in the order shown on the page. */
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
  wrong: { label: 'Pay the wrong amount', about: 'The payment is one rupee short.' },
  twice: {
    label: 'Pay, webhook twice',
    about: 'The payment succeeds once. Two webhooks arrive at the same moment.',
  },
  first: {
    label: 'Pay, webhook before return',
    about: 'The webhook arrives before you return.',
  },
  silent: {
    label: 'Pay, webhook lost',
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

function renderOrder(order: SandboxOrder): string {
  const rows = [
    ['Amount', formatAmount(order.asked)],
    ['Order', order.orderId],
    ['Name', order.name],
    ['Email', order.email],
    ['Merchant', order.merchantId],
  ]
  return renderDetails(rows)
}

export function renderPaymentPage(order: SandboxOrder): string {
  if (order.stage !== 'open') {
    const explanation =
      order.stage === 'in-process'
        ? 'The payment arrives automatically. You can close this window.'
        : 'This order has ended. To try again, go back to the event’s page.'
    return renderPage(STAGE_LABELS[order.stage], `${renderOrder(order)}\n<p>${explanation}</p>`)
  }
  return renderPage(
    `Pay ${formatAmount(order.asked)}`,
    `${renderOrder(order)}\n${renderActions(ACTIONS)}`,
  )
}

export const renderReturnPage = (order: SandboxOrder, address: string, fields: Fields): string =>
  renderReturn(STAGE_LABELS[order.stage], address, fields)

export function renderMessagePage(title: string, sentence: string): string {
  return renderPage(title, `<p>${escapeHtml(sentence)}</p>`)
}

const ORDER_FORM =
  '<form method="get" action="/"><p><label>Find another order by its order ID <input name="order" required></label> <button type="submit">Show</button></p></form>'

export function renderOrdersPage(orders: readonly SandboxOrder[]): string {
  if (orders.length === 0)
    return renderPage(
      'Orders',
      `<p>This browser has no orders. Register for an event, and its payment appears here.</p>\n${ORDER_FORM}`,
    )
  const rows = orders.map((order) => {
    const receivedText =
      order.paid === null || order.paid === order.asked
        ? ''
        : `, ${formatAmount(order.paid)} received`
    const button =
      order.stage === 'paid'
        ? order.refusesRefund === true
          ? '<span>Its next refund is refused.</span>'
          : `<form method="post" action="/orders/${order.token}/refuse"><button type="submit" aria-label="Refuse the next refund of ${escapeHtml(order.orderId)}">Refuse its next refund</button></form>`
        : `<form method="post" action="/orders/${order.token}/settle"><button type="submit" aria-label="Deliver the payment for ${escapeHtml(order.orderId)}">Deliver the payment</button></form>`
    return `<li><div><strong>${escapeHtml(order.orderId)}</strong><br><span>${formatAmount(order.asked)}, ${STAGE_LABELS[order.stage].toLowerCase()}${receivedText}</span></div>${button}</li>`
  })
  return renderPage(
    'Orders',
    `<p>Newest first. You can pay an unpaid order from here, as a late payment. For a paid order, you can refuse the next refund.</p>\n<ul class="orders">\n${rows.join('\n')}\n</ul>\n${ORDER_FORM}`,
  )
}
