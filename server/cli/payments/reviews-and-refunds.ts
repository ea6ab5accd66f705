/** `rollcall payment reviews`, `decide` and `refund`: list payment reviews and record decisions on them. */
import {
  listAllowedDecisions,
  formatInstant,
  formatPaidAt,
  formatMoney,
  getReviewVersion,
} from '../../../engine/index.ts'
import type { DecisionRefusal, Result, Review } from '../../../engine/index.ts'
import { toWireReview } from '../../office/reconciliation/payment-reviews.ts'
import { decideReview, refundPayment } from '../../payments/decide-payment-review.ts'
import type { ReviewResult } from '../../payments/decide-payment-review.ts'
import { parseArguments } from '../options.ts'
import { withContext } from '../command-context.ts'
import type { Command, Status, Terminal } from '../command.ts'

const stringOption = { type: 'string' } as const

const reviewsHelp = `Usage: rollcall payment reviews [--event ID] [--json]

Lists the payments that need review, oldest first: wrong amounts, second payments, payments about which the
gateway has not responded for days, and refunds that it refused or left uncertain. Each has an ID (C12, P3, R7) and a
version for \`rollcall payment decide\`.

  --event ID   only this event
  --json       print JSON

You can run this command while the server is running.

Exit status: 0 done; 1 an event file has errors; 2 invalid usage; 3 internal error.`

export const reviewsCommand: Command = {
  help: reviewsHelp,
  run: async (args, terminal) => {
    const options = { event: stringOption, json: { type: 'boolean' } } as const
    const parsed = parseArguments(args, options, [0, 0], reviewsHelp, terminal)
    if (parsed === null) return 2
    const { event: eventId, json = false } = parsed.values
    return withContext(terminal, async ({ store, events }) => {
      const reviews = await store.reviews(eventId ?? null)
      if (eventId !== undefined && reviews.length === 0 && events.findById(eventId) === null) {
        const ids = events.all().map(({ config }) => config.id)
        terminal.printError(`No event "${eventId}". Events: ${ids.join(', ')}.`)
        return 2
      }
      if (json) {
        terminal.print(JSON.stringify(reviews.map(toWireReview), null, 2))
        return 0
      }
      const findEventTitle = (id: string | null): string =>
        (id === null ? null : events.findById(id)?.config.title) ?? id ?? 'no event'
      terminal.print(
        reviews.length === 0
          ? 'No payment needs review.'
          : [
              ...reviews.map((review) => formatReview(review, findEventTitle(review.eventId))),
              `${reviews.length} ${reviews.length === 1 ? 'needs' : 'need'} a decision: rollcall payment decide ID … --version … --why … --who …`,
            ].join('\n\n'),
      )
      return 0
    })
  },
}

function formatReview(review: Review, event: string): string {
  const {
    id,
    came: received,
    due,
    regNo,
    name,
    left,
    gatewayAnswer,
    currency,
    dueCurrency,
  } = review
  const heading = [event, regNo, name].filter((part) => part !== null && part !== '').join(' · ')
  const receivedText =
    received === null
      ? null
      : `${formatMoney(received.amount, currency)} was received on ${formatPaidAt(received.paidAt)}, reference ${received.reference}`
  const isRefund = review.is === 'refund-unsure' || review.is === 'refund-refused'
  const remainder = isRefund
    ? `refund of ${formatMoney(left, currency)}`
    : received !== null && left !== received.amount
      ? `${formatMoney(left, currency)} of it remains`
      : null
  const lines = [
    review.why,
    [receivedText, remainder, due === null ? null : `${formatMoney(due, dueCurrency)} was due`]
      .filter((part) => part !== null)
      .join('; '),
    gatewayAnswer === null || gatewayAnswer === '' ? '' : `The gateway: ${gatewayAnswer}`,
    `Waiting since ${formatInstant(review.since)}. Decide: ${listAllowedDecisions(review).join(', ')}`,
    `Version: ${getReviewVersion(review)}`,
  ]
  return `${id.padEnd(5)} ${heading}\n${lines.flatMap((line) => (line === '' ? [] : [`      ${line}`])).join('\n')}`
}

const decideHelp = `Usage: rollcall payment decide ID accept|ask|refund|dismiss|move --version VERSION --why TEXT --who NAME [options]

Decides a review that \`rollcall payment reviews\` lists. The decision is recorded with the reason and your name.

  accept    the payment counts, and the delegate gets the confirmation. If the gateway has not responded for days,
            --reference is the payment's reference in the gateway's panel. For an uncertain refund: confirms that it was made
  ask       the payment counts, the rest remains due, and the delegate gets a payment link
  refund    refunds the payment through the gateway, in full or --amount; any other payment you refund yourself, then
            record it in the office. For a refused or uncertain refund: requests it again; check the gateway's panel
            first
  dismiss   the payment is ignored, such as a test or a repeated message. For a refund: it is withdrawn, and the
            payment is kept
  move      the payment belongs to another registration of the event: --to. It is accepted there if it is exactly
            the balance, and otherwise stays under review

  --version VERSION the version that \`rollcall payment reviews\` shows; refused if the review has changed since
  --why TEXT        the reason, for the audit log
  --who NAME        your name, for the audit log
  --to REG_NO       the registration that gets the money
  --reference REF   the gateway's reference, from its panel
  --amount AMOUNT   a partial amount, such as 985 or 985.50

You can run this command while the server is running. With GATEWAY_MODE=sandbox, the server must be running
for refunds, because it hosts the simulator.

Exit status: 0 done; 1 refused, with the reason; 2 invalid usage; 3 internal error.`

export const decideCommand: Command = {
  help: decideHelp,
  run: async (args, terminal) => {
    const options = {
      version: stringOption,
      why: stringOption,
      who: stringOption,
      to: stringOption,
      reference: stringOption,
      amount: stringOption,
    } as const
    const parsed = parseArguments(args, options, [2, 2], decideHelp, terminal)
    if (parsed === null) return 2
    const [id = '', decision = ''] = parsed.positionals
    const { version, why: reason, who: user, to, reference, amount } = parsed.values
    const misplacedOption =
      decision !== 'move' && to !== undefined
        ? '--to'
        : decision !== 'accept' && reference !== undefined
          ? '--reference'
          : null
    if (misplacedOption !== null)
      return failUsage(terminal, `${misplacedOption} is not an option of ${decision}.`)
    if (decision === 'move' && to === undefined)
      return failUsage(terminal, 'Specify the other registration: --to REG_NO.')
    if (user === undefined || reason === undefined)
      return failUsage(terminal, 'Specify who decides and why: --who NAME --why TEXT.')
    if (version === undefined)
      return failUsage(
        terminal,
        'Specify the version that `rollcall payment reviews` shows: --version VERSION.',
      )
    if (!['accept', 'ask', 'refund', 'dismiss', 'move'].includes(decision))
      return failUsage(
        terminal,
        `The decision must be accept, ask, refund, dismiss or move, not "${decision}".`,
      )
    const input = { decision, version, why: reason, to, reference, amount }
    return withContext(terminal, async (deps) =>
      printDecision(terminal, await decideReview(deps, id.toUpperCase(), input, user)),
    )
  },
}

const refundHelp = `Usage: rollcall payment refund REG_NO|ORDER_ID [--amount AMOUNT] --why TEXT --who NAME

Refunds a payment through the gateway: the amount not yet refunded, or --amount. Refund any other payment yourself, then
record it in the office as already refunded outside Rollcall. After a partial refund the registration stays paid. A refund that the gateway has accepted is not complete yet: the server queries the gateway until
it confirms the refund.

  --amount AMOUNT   a partial amount, such as 985 or 985.50
  --why TEXT        the reason, for the audit log
  --who NAME        your name, for the audit log

You can run this command while the server is running. With GATEWAY_MODE=sandbox, the server must be running,
because it hosts the simulator.

Exit status: 0 done; 1 refused, with the reason; 2 invalid usage; 3 internal error.`

export const refundCommand: Command = {
  help: refundHelp,
  run: async (args, terminal) => {
    const options = { amount: stringOption, why: stringOption, who: stringOption } as const
    const parsed = parseArguments(args, options, [1, 1], refundHelp, terminal)
    if (parsed === null) return 2
    const { amount, why: reason, who: user } = parsed.values
    if (user === undefined || reason === undefined)
      return failUsage(terminal, 'Specify who decides and why: --who NAME --why TEXT.')
    const target = parsed.positionals[0] ?? ''
    return withContext(terminal, async (deps) =>
      printDecision(
        terminal,
        await refundPayment(deps, target.trim(), { amount, why: reason }, user),
      ),
    )
  },
}

function failUsage(terminal: Terminal, sentence: string): 2 {
  terminal.printError(sentence)
  return 2
}

function printDecision(terminal: Terminal, result: Result<ReviewResult, DecisionRefusal>): Status {
  if (!result.ok) {
    terminal.printError(result.error.message)
    return ['no_grounds', 'bad_amount', 'no_reference'].includes(result.error.code) ? 2 : 1
  }
  const { message, refund } = result.value
  terminal.print(message)
  return refund === 'refused' || refund === 'unsure' ? 1 : 0
}
