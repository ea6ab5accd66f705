/** Serves the hosted checkout of the Razorpay simulator: the posted form, the redirect, the page and its buttons. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  escapeHtml,
  formatMoney,
  readCurrency,
  toAmount,
  INR,
} from '../../../../../engine/index.ts'
import type { DisputeStatus } from '../../../../storage/index.ts'
import {
  readForm,
  renderActions,
  renderDetails,
  renderPage,
  renderReturn,
  sendSimulatorPage,
} from '../../simulator-page.ts'
import type { SimulatorAction, SimulatorParts } from './simulator-types.ts'
import type { SimulatedOrder } from './simulator-state.ts'

/** Every possible result of a payment, in the order shown on the page. */
const ACTIONS: Readonly<
  Record<SimulatorAction, { readonly label: string; readonly about: string }>
> = {
  pay: { label: 'Pay', about: 'The payment succeeds. You return, and webhooks follow.' },
  decline: {
    label: 'Decline',
    about: 'The bank declines the payment. You return without having paid.',
  },
  cancel: { label: 'Cancel', about: 'You return without a payment.' },
  late: {
    label: 'No response from the bank',
    about: 'You return after a failure. The money may still arrive.',
  },
  authorize: { label: 'Authorise only', about: 'The payment is authorised and not captured.' },
  twice: { label: 'Pay twice', about: 'Two payments for the order succeed.' },
  first: { label: 'Pay, webhook first', about: 'The webhook arrives before you return.' },
  silent: {
    label: 'Pay, webhook lost',
    about: 'The payment succeeds and you return. No webhook arrives.',
  },
  often: {
    label: 'Pay, webhook repeated',
    about: 'The same webhook arrives five times, and another one late.',
  },
  forged: { label: 'Pay, forged webhook', about: 'The webhook has the wrong signature.' },
  truncated: { label: 'Pay, broken webhook', about: 'The webhook is incomplete.' },
  stay: { label: 'Pay, close the window', about: 'The payment succeeds. You do not return.' },
}

/** Buttons for the bank's actions on a paid order, keyed by the resulting status of the dispute. */
const DISPUTES: Readonly<Record<DisputeStatus, string>> = {
  open: 'Dispute the payment, or request more evidence',
  under_review: 'Review the evidence',
  won: 'The merchant wins',
  lost: 'The merchant loses',
  closed: 'Close the dispute',
}
const isDisputeStatus = (text: string): text is DisputeStatus => Object.hasOwn(DISPUTES, text)
const isPaid = ({ payments }: SimulatedOrder): boolean =>
  payments.some(({ status }) => status === 'captured')

const isAction = (text: string): text is SimulatorAction => Object.hasOwn(ACTIONS, text)

export function addPageRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  const { store } = parts
  const findOrder = (request: FastifyRequest): SimulatedOrder | null =>
    store.get((request.params as { readonly id: string }).id)

  app.post('/razorpay/v1/checkout/embedded', async (request, reply) => {
    const form = readForm(request)
    const renderField = (name: string): string => form[name] ?? ''
    const order = store.get(renderField('order_id'))
    const error =
      order === null || order.keyId !== renderField('key_id')
        ? 'The id provided does not exist.'
        : String(order.amount) !== renderField('amount') ||
            order.currency !== renderField('currency')
          ? 'The amount differs from the order.'
          : ![renderField('callback_url'), renderField('cancel_url')].every((url) =>
                URL.canParse(url),
              )
            ? 'The callback address is invalid.'
            : order.payments.some(({ status }) => status === 'captured')
              ? 'This order is paid.'
              : null
    if (order === null || error !== null)
      return sendPage(reply, 'The payment cannot start', `<p>${escapeHtml(error ?? '')}</p>`, 400)
    store.put({
      ...order,
      callbackUrl: renderField('callback_url'),
      cancelUrl: renderField('cancel_url'),
      name: renderField('prefill[name]'),
      email: renderField('prefill[email]'),
      contact: renderField('prefill[contact]'),
    })
    return reply.redirect(`${parts.origins().hop}/razorpay/hop/${order.id}`, 303)
  })
  app.get('/razorpay/hop/:id', async (request, reply) => {
    const order = findOrder(request)
    return reply.redirect(`${parts.origins().page}/razorpay/page/${order?.id ?? 'unknown'}`, 303)
  })
  app.get('/razorpay/page/:id', async (request, reply) => {
    const order = findOrder(request)
    if (order === null) return sendUnknown(reply)
    // A cancellation is redirected to the event.
    const formAction = `'self' ${URL.canParse(order.cancelUrl) ? new URL(order.cancelUrl).origin : ''}`
    const content = isPaid(order) ? renderDisputes(order) : renderCheckout(order)
    return sendPage(reply, `Pay ${formatAmount(order)}`, content, 200, formAction)
  })
  app.post('/razorpay/page/:id', async (request, reply) => {
    const order = findOrder(request)
    const { do: action = '', dispute = '' } = readForm(request)
    if (order !== null && isPaid(order) && isDisputeStatus(dispute))
      return sendPage(reply, 'Dispute', renderDisputes(await parts.setDispute(order.id, dispute)))
    if (order === null || !isAction(action)) return sendUnknown(reply)
    const fields = await parts.run(order.id, action)
    if (fields === null) return sendPage(reply, 'Paid', '<p>You can close this window.</p>')
    if (action === 'cancel') return reply.redirect(order.cancelUrl, 303)
    return sendSimulatorPage(
      reply,
      renderReturn('Going back to the event', order.callbackUrl, fields),
      200,
      new URL(order.callbackUrl).origin,
    )
  })
}

/** Renders the buttons of a paid order that raise or decide a dispute about its payment. */
function renderDisputes(order: SimulatedOrder): string {
  const dispute = order.payments.findLast(({ status }) => status === 'captured')?.dispute
  const buttons = Object.entries(DISPUTES).map(
    ([status, label]) => `<button type="submit" name="dispute" value="${status}">${label}</button>`,
  )
  return `<p>This order is paid. ${dispute === undefined ? 'Its payment is not disputed.' : `Dispute ${escapeHtml(dispute.id)}: ${dispute.status}.`}</p>
<form method="post">${buttons.join('\n')}</form>`
}

const formatAmount = ({ amount, currency }: SimulatedOrder): string =>
  formatMoney(toAmount(amount), readCurrency(currency) ?? INR)

function renderCheckout(order: SimulatedOrder): string {
  const rows = [
    ['Amount', formatAmount(order)],
    ['Order', order.receipt],
    ['Name', order.name],
    ['Email', order.email],
  ]
  return `${renderDetails(rows)}\n${renderActions(ACTIONS)}`
}

const sendUnknown = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, 'Unknown order', '<p>The sandbox has no order at this address.</p>', 404)

function sendPage(
  reply: FastifyReply,
  title: string,
  body: string,
  status = 200,
  formAction = "'self'",
): FastifyReply {
  return sendSimulatorPage(reply, renderPage(title, body), status, formAction)
}
