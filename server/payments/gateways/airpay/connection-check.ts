/**
 * Checks the connection to the gateway with one query, before money depends on it.
 * Shows whether it can be reached, whether it accepts our credentials, the format of its answer, and how we would
 * interpret it.
 */
import { assertNever, formatInstant, formatMoney, getOwn } from '../../../../engine/index.ts'
import type { Instant, OrderId } from '../../../../engine/index.ts'
import type { Account, StatusAnswer } from '../../../dependencies.ts'
import { askStatus } from './airpay.ts'
import { judgeStatus } from './status-response.ts'
import type { Assumed } from './status-response.ts'
import { privateKeyOf } from './checksums.ts'
import { readStatusXml } from './parse-message.ts'
import type { Fields } from './parse-message.ts'
import type { Posted } from './send-request.ts'

/** Characters shown of an answer in an unknown format: enough to identify it. */
const SHOWN_CHARACTERS_MAX = 200
/** Only letters, so that no event can use it, and a format that the gateway accepts. */
export const NO_SUCH_ORDER = 'NOSUCHORDER'
/** Fields shown of an answer about a real order: nothing that identifies the payer. */
const SHOWN_FIELDS = [
  'TRANSACTIONSTATUS',
  'MESSAGE',
  'TRANSACTIONID',
  'APTRANSACTIONID',
  'AMOUNT',
  'BILLEDAMOUNT',
  'CURRENCYCODE',
  'TRANSACTIONTYPE',
  'TRANSACTIONTIME',
  'TXN_MODE',
  'CHMOD',
] as const
/** Fields that an answer about a payment must have; without them the payment needs review. */
const WANTED_FIELDS = ['CURRENCYCODE', 'TRANSACTIONTYPE', 'TRANSACTIONTIME'] as const

export type GatewayQuestion = {
  readonly address: string
  readonly account: Account
  /** Null: queries an order that cannot exist. */
  readonly orderId: OrderId | null
  /** Whether to repeat the query with a deliberately wrong key. */
  readonly compares: boolean
  readonly assumed: Assumed
  readonly at: Instant
  readonly timeoutMs: number
}
/** `asExpected`: the answer shows no reason to stop. */
export type GatewayChecked = {
  readonly asExpected: boolean
  readonly sentences: readonly string[]
}
type Said = readonly [asExpected: boolean, ...sentences: string[]]

export async function checkGateway(question: GatewayQuestion): Promise<GatewayChecked> {
  const { address, account, orderId, at, timeoutMs, compares } = question
  const asked = orderId ?? NO_SUCH_ORDER
  const about = orderId === null ? `the order ${asked}, which cannot exist` : `the order ${asked}`
  const opening = `Asked ${address} about ${about}, as merchant ${account.merchantId}.`
  const posted = await askStatus(address, account, asked, at, timeoutMs)
  const said: Said[] = [[true, opening], reached(address, posted)]
  if (posted.is === 'answered') said.push(...understood(question, posted.text))
  if (posted.is === 'answered' && compares) {
    const wrong = { ...account, secret: `${account.secret}x` }
    said.push(compared(posted, await askStatus(address, wrong, asked, at, timeoutMs)))
  }
  return {
    asExpected: said.every(([asExpected]) => asExpected),
    sentences: said.flatMap(([, ...sentences]) => sentences),
  }
}

function reached(address: string, posted: Posted): Said {
  const trusted = address.startsWith('https:')
    ? 'over TLS, with a certificate that this machine trusts'
    : 'without TLS, as only a stand-in on this machine may'
  if (posted.is === 'answered') return [true, `It was reached ${trusted}.`]
  if (posted.status === null)
    return [
      false,
      `It did not answer: ${posted.error}.`,
      posted.sent
        ? 'A question was on its way. Try again; if it stays so, the gateway is slow or a firewall holds back its answers.'
        : 'No connection came about: check the address in gateways.yaml, the name service, the certificates and the firewall of this machine.',
    ]
  return [
    false,
    `It was reached ${trusted}, and turned the question away: ${posted.error}.`,
    'Gateways do so for a wrong address, for credentials that do not fit, or for a machine whose address the merchant has not registered.',
  ]
}

function understood(question: GatewayQuestion, text: string): readonly Said[] {
  const { account, orderId } = question
  const read = readStatusXml(text)
  if (!read.ok) {
    const begins = text
      .replaceAll(privateKeyOf(account), '…')
      .replaceAll(/\s+/g, ' ')
      .slice(0, SHOWN_CHARACTERS_MAX)
    return [[false, `It cannot be read: ${read.error}. It begins: ${begins}`]]
  }
  const [fields = {}] = read.value
  const answer = judgeStatus(read.value, {
    orderId: orderId ?? (NO_SUCH_ORDER as OrderId),
    at: question.at,
    raw: text,
    assumed: question.assumed,
    takesTests: false,
  })
  const form: Said = [true, 'The answer has the form that we know, XML with a transaction.']
  const message = fields['MESSAGE'] ?? ''
  const told: readonly Said[] = message === '' ? [] : [[true, `Its message: "${message}".`]]
  return orderId === null
    ? [form, meaningOfNone(fields), ...told, heldFields(fields)]
    : [form, ...shownFields(fields), meaningOf(answer)]
}

/** For an order that cannot exist, only one answer is correct. */
function meaningOfNone(fields: Fields): Said {
  const code = fields['TRANSACTIONSTATUS'] ?? ''
  switch (code) {
    case '503':
      return [
        true,
        'Code 503: no record, which is right of such an order. The credentials were taken, as far as such an answer can tell.',
      ]
    case '200':
      return [
        false,
        'Code 200: it calls an order paid that nobody has placed. Do not take money before Airpay has explained this.',
      ]
    case '401':
    case '402':
    case '403':
      return [
        false,
        `Code ${code}: Airpay's documents disagree about it, and it may be what credentials get that do not fit. Ask Airpay, or compare with --compare.`,
      ]
    case '':
      return [false, 'It holds no TRANSACTIONSTATUS, so that we would wait for ever.']
    default:
      return [
        false,
        `Code ${code}: not what the documents say of an order without a record. Most likely the question itself was refused: check user name, password, secret and merchant id, and whether this machine's clock is right.`,
      ]
  }
}

function heldFields(fields: Fields): Said {
  const missing = WANTED_FIELDS.filter((name) => (fields[name] ?? '') === '')
  const held = `It holds ${Object.keys(fields).join(', ')}.`
  return missing.length === 0
    ? [true, held]
    : [
        true,
        held,
        `It does not hold ${missing.join(', ')}: of an order without a record that says nothing, but look again with --order once one rupee was paid.`,
      ]
}

function shownFields(fields: Fields): readonly Said[] {
  return SHOWN_FIELDS.map((name) => {
    const value = getOwn(fields, name)
    return [true, `${name}: ${value === undefined ? '(not there)' : `"${value}"`}`]
  })
}

/** Describes what the server would do with such an answer. */
function meaningOf(answer: StatusAnswer): Said {
  switch (answer.is) {
    case 'fact': {
      const { fact } = answer
      if (fact.type !== 'confirmed') return [true, 'We take this for a payment that failed.']
      const { amount, currency, kind, paidAt, reference } = fact
      const fits = kind === 'sale' && currency === 'INR'
      return [
        fits,
        `We take this for ${formatMoney(amount)} under the reference ${reference}, in ${currency === '' ? 'a currency that is not named' : currency}, ${{ sale: 'a sale', other: 'not known to be a sale', test: 'a test transaction' }[kind]}, paid ${paidAt === undefined ? 'at a time that is not said' : formatInstant(paidAt)}.`,
        fits
          ? 'Of the right amount it is a success.'
          : 'It goes into review. If currency or type are never named, AIRPAY_ASSUME says what that means (docs/airpay.md).',
      ]
    }
    case 'pending':
      return [true, `We wait and ask again: the code is "${answer.code}".`]
    case 'no-record':
      return [true, 'We take this for no payment yet, and after a day for none at all.']
    case 'unreachable':
      return [false, `We cannot use it, and ask again: ${answer.error}.`]
    default:
      return assertNever(answer)
  }
}

/** Compares the answers to a right and a wrong key; if they are the same, nothing shows that ours is right. */
function compared(right: Posted & { readonly is: 'answered' }, wrong: Posted): Said {
  const codeIn = (posted: Posted): string => {
    const read = posted.is === 'answered' ? readStatusXml(posted.text) : null
    return read?.ok === true ? (read.value[0]?.['TRANSACTIONSTATUS'] ?? '') : ''
  }
  const isAlike = wrong.is === 'answered' && codeIn(wrong) === codeIn(right)
  return isAlike
    ? [
        false,
        'The same question with a wrong key was answered alike, so that nothing shows that the right one was taken.',
      ]
    : [
        true,
        'The same question with a wrong key was answered otherwise, so that the right one was taken.',
      ]
}
