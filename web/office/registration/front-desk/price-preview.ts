/** The price preview of a manual registration. The server calculates the final price. */
import {
  listSeatPools,
  findApproval,
  findCategory,
  findFirstFull,
  instant,
  normalise,
  getOwn,
  quote,
  buildFullSeatMessage,
  withMethod,
} from '../../../../engine/index.ts'
import type {
  Field,
  Option,
  PricingContext,
  Quote,
  SeatPool,
  PublicEvent,
} from '../../../../engine/index.ts'

const isPoolFull = (seatsLeft: PricingContext['left'], poolId: string): boolean =>
  (getOwn(seatsLeft, poolId) ?? 1) <= 0

/**
 * Calculates a preview of the price, which the server recalculates. `fullPool` is the full quota
 * that prevents the registration. `replacedPool` is the full quota of the requested category, if
 * another category replaces it.
 */
export function calculatePreview(
  event: PublicEvent,
  data: Readonly<Record<string, unknown>>,
  context: PricingContext,
  clockOffsetMs: number,
  /** The payment method if the registration is paid now. Null if it is paid later, by the method in the answers. */
  deskMethod: string | null,
): {
  readonly category: string | null
  readonly fullPool: SeatPool | null
  readonly replacedPool: SeatPool | null
  /** Whether the registration needs approval before payment. */
  readonly needsApproval: boolean
  readonly price: Quote | null
} {
  const { answers } = normalise(event, data, context)
  const category = findCategory(event, answers)
  const fullPool = findFirstFull(event.quotas, answers, category, context.left)
  const requestedCategory = findCategory({ ...event, quotas: [] }, answers)
  const requestedFullPool = findFirstFull(event.quotas, answers, requestedCategory, context.left)
  const pricedAnswers = deskMethod === null ? answers : withMethod(event, answers, deskMethod)
  const quoteResult =
    fullPool === null ? quote(event, pricedAnswers, instant(Date.now() + clockOffsetMs)) : null
  return {
    category,
    fullPool,
    replacedPool: fullPool === null ? requestedFullPool : null,
    needsApproval: findApproval(event.approvals, answers, category) !== null,
    price: quoteResult?.ok === true ? quoteResult.value : null,
  }
}

/** Returns the options of a field. The labels of full options state that they are full. */
export function labelOptions(
  event: PublicEvent,
  field: Field,
  seatsLeft: PricingContext['left'],
): readonly Option[] {
  const fullPools = listSeatPools(event.quotas).filter(
    ({ id, quota }) => quota.eachOptionOf === field.id && isPoolFull(seatsLeft, id),
  )
  return (field.options ?? []).map((option) => {
    const fullPool = fullPools.find((pool) => pool.option === option.id)
    return fullPool === undefined
      ? option
      : { ...option, label: buildFullSeatMessage(event, fullPool) }
  })
}
