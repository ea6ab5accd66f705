/** Compiles the payment methods below `payment`. */
import type { EventConfig, Field, Gateway, GatewayAccount } from '../../event/config.ts'
import type { CardMethod, PaymentMethod } from '../../event/payment-method-types.ts'
import { formatIdAsWords } from '../../event/placeholders-and-answer-texts.ts'
import type { FieldContext } from './form.ts'
import { GATEWAY_MINIMUM, DEFAULT_EXPIRY_DAYS } from '../../event/default-settings-and-limits.ts'
import { toField } from './form.ts'
import { DEFAULT_GATEWAY, isGatewayKind } from '../../payments/gateways/capabilities.ts'
import { INR, readCurrency, type Currency } from '../../lib/money.ts'
import { assert } from '../../lib/result.ts'
import {
  removeUndefined,
  asList,
  asMap,
  asOptionalText,
  asOptionalDay,
  readFileAmount,
  asText,
  asTexts,
  asTextMap,
  type PlainMap,
} from './read-checked-values.ts'

/** The only method of a file that declares no methods. */
const DEFAULT_CARD_METHOD = { id: 'card', label: 'Card, UPI or net banking' } as const

/** Compiles `payment`; the result's `payment` is null if no card gateway is among the methods. */
export function compilePayment(
  written: unknown,
  context: FieldContext,
): Pick<EventConfig, 'payment' | 'cardAccounts' | 'methods'> {
  if (written === undefined || written === 'none') return { payment: null, methods: [] }
  const plain = asMap(written)
  if (plain.methods === undefined)
    return {
      payment: toPayment(plain, context),
      methods: [toCard(DEFAULT_CARD_METHOD, plain, context)],
    }
  const methods = asList(plain.methods).map(asMap)
  const cards = methods
    .filter(({ gateway }) => gateway !== undefined)
    .map((card): [string, GatewayAccount] => [asText(card.id), toPayment(card, context)])
  return {
    payment: cards[0]?.[1] ?? null,
    ...(cards.length > 1 ? { cardAccounts: Object.fromEntries(cards) } : {}),
    methods: methods.map((method) => toMethod(method, context)),
  }
}

function toPayment(plain: PlainMap, { shared }: FieldContext): GatewayAccount {
  return {
    gateway: toGateway(asText(plain.gateway), shared.gateways),
    account: asText(plain.account),
  }
}

/** Omits `kind` for Airpay, because older files were written when it was the only gateway. */
function toCard(
  labels: Omit<CardMethod, 'is' | 'gateway'>,
  plain: PlainMap,
  { shared }: FieldContext,
): CardMethod {
  const { kind } = toGateway(asText(plain.gateway), shared.gateways)
  return { is: 'card', ...labels, ...(kind === undefined ? {} : { gateway: kind }) }
}

/** Reads a currency or a list of currencies. Returns undefined if the file states none. */
function toCurrencies(written: unknown): readonly Currency[] | undefined {
  if (written === undefined) return undefined
  return (Array.isArray(written) ? written : [written])
    .map(readCurrency)
    .filter((currency) => currency !== null)
}

function toMethod(plain: PlainMap, context: FieldContext): PaymentMethod {
  const id = asText(plain.id)
  const isCard = plain.gateway !== undefined
  const labels = {
    id,
    label:
      asOptionalText(plain.label) ?? (isCard ? DEFAULT_CARD_METHOD.label : formatIdAsWords(id)),
    ...removeUndefined({
      until: asOptionalDay(plain.until),
      currencies: toCurrencies(plain.currencies),
    }),
  }
  if (isCard) return toCard(labels, plain, context)
  const claimFields = asList(plain.fields).map(asMap)
  const fields = claimFields.map((field) => toClaimField(field, context))
  const unique = claimFields.find((field) => field.unique === true)
  if (plain.office_only === true) {
    const referenceField =
      unique ?? claimFields.find(({ type, options }) => type === undefined && !options)
    return {
      is: 'desk',
      ...labels,
      fields,
      ...removeUndefined({ reference: asOptionalText(referenceField?.id) }),
    }
  }
  return {
    is: 'transfer',
    ...labels,
    instructions: asText(plain.instructions),
    fields,
    reference: asText(unique?.id),
    priceDate: plain.price_date === 'credit' ? 'credit' : 'registration',
    expiresAfterDays:
      plain.expires_after === undefined ? DEFAULT_EXPIRY_DAYS : readDays(plain.expires_after),
    ...removeUndefined({ day: fields.find(({ type }) => type === 'date')?.id }),
  }
}

/** Compiles a field of a payment method, which has fewer keys than a form field. */
function toClaimField(field: PlainMap, context: FieldContext): Field {
  const { unique: _unique, ...rest } = field
  const type = field.type ?? (field.options === undefined ? undefined : 'select')
  return toField({ label: formatIdAsWords(asText(field.id)), ...rest, type }, 0, context)
}

/** Reads "10 days"; other values are reported by the schema check. */
function readDays(raw: unknown): number {
  return Number.parseInt(asText(raw), 10)
}

function toGateway(name: string, gateways: PlainMap): Gateway {
  const gateway = asMap(asMap(gateways.gateways)[name])
  const live = asMap(gateway.live)
  return {
    name,
    ...toKind(gateway.kind),
    live: {
      pay: asText(live.pay),
      status: asText(live.status),
      refund: asText(live.refund),
      hops: asTexts(live.hops),
    },
    minimum: gateway.minimum === undefined ? GATEWAY_MINIMUM : readFileAmount(gateway.minimum, INR),
    constants: asTextMap(gateway.constants),
    postsTo: asText(gateway.posts_to),
    posts: asTextMap(gateway.posts),
  }
}

/** Reads the kind of a gateway. Omits `kind` if the file does. The schema rejects unknown kinds. */
function toKind(written: unknown): Pick<Gateway, 'kind'> {
  if (written === undefined) return {}
  const kind = asText(written)
  assert(isGatewayKind(kind), 'a gateway of an unknown kind must not be compiled')
  return kind === DEFAULT_GATEWAY ? {} : { kind }
}
