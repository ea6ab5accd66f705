/** Handles approval before payment: approve, refuse, and accept an offered category. */
import { toWireCurrency } from '../../../engine/api.ts'
import {
  getCurrency,
  getApproval,
  formatIsoIndia,
  getLabel,
  getCategoryLabel,
  toAmount,
  computeExpiryAfterApproval,
  quoteInCategory,
  toMajorUnits,
} from '../../../engine/index.ts'
import {
  buildApprovedEmail,
  buildOfferAcceptedEmail,
  SERVER_MESSAGES,
  buildNotApprovedEmail,
} from '../../../engine/messages.ts'
import type { EventConfig, Instant, Quote } from '../../../engine/index.ts'
import type { WireApproval, WireRefusal } from '../../../engine/api.ts'
import type { Approval, Store, StoredRegistration } from '../../storage/index.ts'
import { refuseData, readText } from './action-input.ts'
import type { ActionRequest, ActionHandler } from './action-input.ts'
import { buildFreeConfirmationEmail } from './resend-emails.ts'
import { choosePaymentChannel, applyOpenMethod } from './choose-payment-method.ts'

export const approveRegistration: ActionHandler = async (request) => {
  const { deps, served, newAction } = request
  const { config } = served
  const { registration, replacedMethod } = applyOpenMethod(
    config,
    request.registration,
    newAction.at,
  )
  const payUntil = computeExpiryAfterApproval(getApproval(config, registration), newAction.at)
  return deps.store.approve(newAction, {
    ...buildPaymentStart(request, registration),
    replacedMethod,
    payUntil: payUntil,
    mail: buildApprovedEmail(config, registration, registration.total ?? toAmount(0), payUntil),
  })
}

/** Refuses the application. `{offer: true}` also offers the category that the event file defines for this case. */
export const refuseApproval: ActionHandler = async ({
  deps,
  served,
  registration,
  newAction,
  params,
}) => {
  const { config } = served
  const { offer = null, message = null } = getApproval(config, registration)?.ifRefused ?? {}
  const isOfferRequested = params['offer'] === true || params['offer'] === 'true'
  if (isOfferRequested && offer === null)
    return refuseData('The event file has no other category to offer.')
  const offeredQuote =
    isOfferRequested && offer !== null
      ? quoteOffer(config, registration, offer, newAction.at)
      : null
  if (isOfferRequested && offeredQuote === null)
    return refuseData('The offered category was not on sale on the day of registration.')
  const email = buildNotApprovedEmail(config, registration, {
    why: newAction.why,
    say: message,
    offer: offeredQuote,
  })
  return deps.store.rejectApplication(newAction, {
    offer: offeredQuote?.category ?? null,
    mail: email,
  })
}

/** Accepts the offer. `{category}` is the offered category that the delegate saw. */
export const acceptOffer: ActionHandler = async (request) => {
  const { deps, served, registration, newAction, params } = request
  const { config } = served
  // The store checks in its transaction whether the offer exists, and recognises a repeated click.
  const offeredQuote = quoteOffer(config, registration, readText(params, 'category'), newAction.at)
  if (offeredQuote === null) return refuseData(SERVER_MESSAGES.selfService.offerEnded)
  const { category, quote } = offeredQuote
  const payUntil = computeExpiryAfterApproval(getApproval(config, registration), newAction.at)
  const offerTerms = { category, due: offeredQuote.total, payUntil }
  const openMethod = applyOpenMethod(config, registration, newAction.at)
  const acceptedRegistration: StoredRegistration = {
    ...openMethod.registration,
    category,
    ...toStoredAmounts(quote),
  }
  return deps.store.acceptOffer(newAction, {
    ...buildPaymentStart(request, acceptedRegistration),
    replacedMethod: openMethod.replacedMethod,
    category,
    quote,
    payUntil: payUntil,
    mail: buildOfferAcceptedEmail(config, registration, offerTerms),
  })
}

/** Returns the data that the approver needs; null if no approval is needed. */
export function buildApprovalView(
  config: EventConfig,
  registration: StoredRegistration,
  at: Instant,
): WireApproval | null {
  const { state, uploads, regNo, decideBy, currency } = registration
  const { total } = applyOpenMethod(config, registration, at).registration
  if (state !== 'to_approve' && state !== 'refused') return null
  const rule = getApproval(config, registration)
  const { offer } = rule?.ifRefused ?? {}
  const offeredQuote = offer === undefined ? null : quoteOffer(config, registration, offer, at)
  return {
    look_at: (rule?.documents ?? uploads.map(({ field }) => field)).map((id) => {
      const upload = uploads.find(({ field, droppedAt }) => field === id && droppedAt === null)
      return {
        id,
        label: getLabel(config, id),
        name: upload?.name ?? '',
        href:
          upload === undefined
            ? null
            : `/admin/registrations/${regNo}/files/${encodeURIComponent(id)}/`,
      }
    }),
    decide_by: decideBy === null ? null : formatIsoIndia(decideBy),
    total: total === null ? null : toMajorUnits(total, currency),
    offer:
      offeredQuote === null
        ? null
        : {
            label: getCategoryLabel(config, offeredQuote.category),
            total: toMajorUnits(offeredQuote.total, offeredQuote.currency),
            ...toWireCurrency(offeredQuote.currency),
          },
    ...toWireCurrency(currency),
  }
}

/** Returns the data shown to the delegate of a refused registration; null if it was not refused. */
export async function buildRefusalView(
  store: Pick<Store, 'actions'>,
  config: EventConfig,
  registration: StoredRegistration,
  at: Instant,
): Promise<WireRefusal | null> {
  const { state, offer, regNo } = registration
  if (state !== 'refused') return null
  const refusal = (await store.actions(regNo)).findLast(({ act }) => act === 'refuse')
  const offeredQuote = offer === null ? null : quoteOffer(config, registration, offer, at)
  return {
    why: refusal?.why ?? '',
    say: getApproval(config, registration)?.ifRefused.message ?? null,
    offer:
      offeredQuote === null
        ? null
        : {
            category: offeredQuote.category,
            label: getCategoryLabel(config, offeredQuote.category),
            total: toMajorUnits(offeredQuote.total, offeredQuote.currency),
            ...toWireCurrency(offeredQuote.currency),
          },
  }
}

/**
 * Quotes the offered category at the prices of the registration date, for a method that is open; null if it was not on
 * sale then.
 */
export function quoteOffer(
  config: EventConfig,
  registration: StoredRegistration,
  category: string,
  at: Instant,
) {
  const openMethod = applyOpenMethod(config, registration, at)
  const result = quoteInCategory(config, openMethod.registration, category)
  if (!result.ok) return null
  return {
    category,
    quote: result.value,
    total: result.value?.total ?? toAmount(0),
    currency: getCurrency(config, category),
  }
}

/** Returns the amounts of a quote as they are stored; empty if the event has no prices. */
export const toStoredAmounts = (quote: Quote | null) =>
  quote === null
    ? {}
    : {
        period: quote.period,
        base: quote.base,
        gst: quote.gst,
        total: quote.total,
        lines: quote.lines,
      }

/**
 * Returns the payment method. For a free registration, which is complete immediately, also returns the confirmation
 * email.
 */
function buildPaymentStart(
  { deps, served: { config }, newAction: { at } }: ActionRequest,
  registration: StoredRegistration,
): Pick<Approval, 'channel' | 'confirmation'> {
  return {
    channel: choosePaymentChannel(deps, config, registration, at),
    confirmation: buildFreeConfirmationEmail(config, registration, at),
  }
}
