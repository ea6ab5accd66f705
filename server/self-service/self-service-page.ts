/** Builds the self-service page: the registration's data and the actions available now. */
import { toWireCurrency } from '../../engine/api.ts'
import {
  listAllowedActions,
  getDocumentTitle,
  listEditableFields,
  listFileFieldsToSubmit,
  formatIsoIndia,
  getOwn,
  toAmount,
  toMajorUnits,
} from '../../engine/index.ts'
import type { CancellationRefund, EventConfig, Field } from '../../engine/index.ts'
import type { SelfServiceResponse, WireCancellation } from '../../engine/api.ts'
import { buildRefusalView } from '../registration/actions/approve-registration.ts'
import { applyApprovalPrice } from '../registration/actions/choose-payment-method.ts'
import { calculateCancellationRefund } from '../registration/actions/balance-due.ts'
import { findCancellationRequest } from '../registration/actions/cancellation-request.ts'
import { listEditableAnswers } from '../registration/actions/correctable-answers.ts'
import { buildPaymentInstructions } from '../registration/actions/payment-instructions.ts'
import type { Deps } from '../dependencies.ts'
import { listHolderDocuments } from '../documents/documents-after-transfer.ts'
import { hidePreviousHolder } from '../registration/answers-after-transfer.ts'
import type { ResolvedLink } from '../registration/access-link.ts'
import { toWireSecondPayment } from '../payments/describe-duplicate-payment.ts'
import {
  buildRegistrationView,
  listAmountsUnderReview,
} from '../registration/registration-views.ts'
import type { StoredRegistration } from '../storage/index.ts'

export async function buildSelfServicePage(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { served: { config }, registration, isFromMail }: ResolvedLink,
): Promise<SelfServiceResponse> {
  const at = clock()
  const { regNo, state } = registration
  const [documents, actions, keptAmount, money, instructions, underReview, secondPayment] =
    await Promise.all([
      listHolderDocuments(store, regNo),
      store.actions(regNo),
      store.netAmountPaid(regNo),
      store.paymentsOutsideBill(regNo),
      buildPaymentInstructions({ store, clock }, config, registration),
      listAmountsUnderReview(store, registration),
      // Someone else may have filled in the form; they must not learn that this delegate is registered.
      isFromMail ? store.secondPayment(regNo) : null,
    ])
  const shownRegistration = hidePreviousHolder(config, registration, actions)
  const actionNames = listAllowedActions(state, 'delegate')
  const fields = actionNames.includes('edit') ? listEditableFields(config, at) : []
  const files = actionNames.includes('edit')
    ? listFileFieldsToSubmit(config, registration.answers, fields)
    : []
  const refund = calculateCancellationRefund(config, registration, { money, kept: keptAmount }, at)
  const requestedAt = findCancellationRequest(actions)
  return {
    status: 'success',
    registration: buildRegistrationView(
      config,
      applyApprovalPrice(config, shownRegistration, at),
      at,
    ),
    state,
    ...underReview,
    paying: instructions,
    documents: documents.map(({ id, kind, form, serial, at: issuedAt, total, currency }) => ({
      id,
      kind,
      title: getDocumentTitle({ kind, form }),
      serial,
      at: formatIsoIndia(issuedAt),
      total: toMajorUnits(total, currency),
      ...toWireCurrency(currency),
    })),
    edit: {
      fields: listEditableAnswers({ ...config, fields }, shownRegistration),
      until: fields.length === 0 ? null : (config.edit?.until ?? null),
    },
    files: toWireFiles(files, shownRegistration),
    // A partial refund would be misleading for a payment made by mistake; the page offers its full refund
    // instead.
    cancel:
      actionNames.includes('ask_cancel') && (secondPayment === null || requestedAt !== null)
        ? {
            asked_at: requestedAt === null ? null : formatIsoIndia(requestedAt),
            kept: toMajorUnits(keptAmount, registration.currency),
            back:
              refund.proposed === null
                ? null
                : toMajorUnits(refund.proposed, registration.currency),
            ...toWireRefundTerms(config, registration, refund),
          }
        : null,
    second_payment: toWireSecondPayment(secondPayment, keptAmount, registration.currency),
    refused: await buildRefusalView(store, config, registration, at),
  }
}

/**
 * Converts the deductions from a refund. Empty if nothing is deducted, or if the refund has other parts: an
 * overpayment, or earlier refunds.
 */
function toWireRefundTerms(
  { fees }: Pick<EventConfig, 'fees'>,
  { currency }: StoredRegistration,
  { percent, remaining, taxKept, charge, owed: overpaid, refunded, share }: CancellationRefund,
): Pick<WireCancellation, 'terms'> {
  const isDeducted = taxKept > 0 || charge > 0
  if (!isDeducted || overpaid > 0 || refunded > 0 || share === null || percent === null) return {}
  return {
    terms: {
      percent,
      of: toMajorUnits(toAmount(remaining - taxKept), currency),
      ...(taxKept > 0 && { without_tax: fees.tax?.name ?? 'tax' }),
      ...(charge > 0 && { charge: toMajorUnits(charge, currency) }),
    },
  }
}

function toWireFiles(
  fields: readonly Field[],
  { answers }: StoredRegistration,
): SelfServiceResponse['files'] {
  return fields.flatMap((field) => {
    const { id, label, type, accept = [], maxBytes } = field
    const name = getOwn(answers, id)
    return type !== 'file' || maxBytes === undefined
      ? []
      : [
          {
            id,
            label,
            name: typeof name === 'string' ? name : null,
            accept: [...accept],
            bytes_max: maxBytes,
          },
        ]
  })
}
