/** Resends emails to a delegate: the confirmation and the payment link. */
import { canRetry, formatMoney, getReceivedCurrency } from '../../../engine/index.ts'
import { buildConfirmationEmail, buildPayLinkEmail } from '../../../engine/messages.ts'
import type { EventConfig, Instant } from '../../../engine/index.ts'
import { buildRegistrationView, listCapturesUnderReview } from '../registration-views.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import type { NewAction, NewMail, StoredRegistration } from '../../storage/index.ts'
import { refuseData } from './action-input.ts'
import type { ActionHandler, ActionResult } from './action-input.ts'
import { readHolderRegistration } from '../answers-after-transfer.ts'
import { getBalance } from './balance-due.ts'
import { buildPaymentInstructions } from './payment-instructions.ts'

export const resendConfirmation: ActionHandler = async ({
  deps,
  served,
  registration,
  newAction,
}) => {
  const { config } = served
  const email = buildConfirmationEmail(
    config,
    buildRegistrationView(
      config,
      await readHolderRegistration(deps.store, config, registration),
      newAction.at,
    ),
  )
  return email === null ? refuseWithoutEmail() : deps.store.sendMail(newAction, email)
}

export type PayLinkRequest = {
  readonly deps: Pick<Deps, 'store' | 'clock'>
  readonly served: Pick<ServedEvent, 'config'>
  readonly registration: StoredRegistration
  readonly newAction: NewAction
}

/** Queues an email with a payment link. The link is created when the email is sent; only its hash is stored. */
export const sendPayLink = async ({
  deps,
  served: { config },
  registration,
  newAction,
}: PayLinkRequest): Promise<ActionResult> => {
  const balance = getBalance(registration)
  if (balance === null || balance <= 0) return refuseData('Nothing is due for this registration.')
  // The delegate would be asked to pay this amount again.
  const [received] = await listCapturesUnderReview(deps.store, registration)
  if (received !== undefined)
    return refuseData(
      `Another payment, of ${formatMoney(received.amount, getReceivedCurrency(received))}, needs review. Decide on it, and then send the payment link.`,
    )
  const isPayableByCard = config.payment !== null && canRetry(config, registration, newAction.at)
  // The page that the link opens contains the transfer instructions.
  if (!isPayableByCard && (await buildPaymentInstructions(deps, config, registration)) === null)
    return refuseData(
      'A payment link cannot be sent now: a payment is in progress, the amount is below the gateway’s minimum, or registration is closed.',
    )
  const email = buildPayLinkEmail(config, registration, balance)
  return email === null ? refuseWithoutEmail() : deps.store.sendMail(newAction, email)
}

/** Returns the confirmation email of a free registration, which is complete immediately. */
export function buildFreeConfirmationEmail(
  config: EventConfig,
  registration: StoredRegistration,
  at: Instant,
): NewMail | null {
  const completeState = { paymentStatus: 'success', state: 'complete', paidAt: at } as const
  return buildConfirmationEmail(
    config,
    buildRegistrationView(config, { ...registration, ...completeState }, at),
  )
}

const refuseWithoutEmail = () =>
  refuseData('This event sends no emails, or the delegate gave no address.')
