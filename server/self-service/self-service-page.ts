/** Builds the self-service page: the registration's data and the actions available now. */
import {
  allowedActions,
  documentTitle,
  editableFields,
  filesToSend,
  isoIndia,
  getOwn,
  rupees,
} from '../../engine/index.ts'
import type { Field } from '../../engine/index.ts'
import type { MyAnswer } from '../../engine/api.ts'
import { refusedShown } from '../registration/actions/approve-registration.ts'
import { refundAtCancellation } from '../registration/actions/balance-due.ts'
import { editable } from '../registration/actions/correctable-answers.ts'
import { payingOf } from '../registration/actions/payment-instructions.ts'
import type { Deps } from '../dependencies.ts'
import { ownDocuments } from '../documents/documents-after-transfer.ts'
import { withOwnAnswers } from '../registration/answers-after-transfer.ts'
import type { Linked } from '../registration/access-link.ts'
import { wireSecondPayment } from '../payments/describe-duplicate-payment.ts'
import { registrationView } from '../registration/registration-for-emails-and-public.ts'
import type { StoredAction, StoredRegistration } from '../storage/index.ts'

export async function myAnswer(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { served: { config }, registration, isFromMail }: Linked,
): Promise<MyAnswer> {
  const at = clock()
  const { regNo, state } = registration
  const [documents, acts, kept, money, paying, second] = await Promise.all([
    ownDocuments(store, regNo),
    store.acts(regNo),
    store.kept(regNo),
    store.moneyOfBill(regNo),
    payingOf({ store, clock }, config, registration),
    // The person who filled in the form may be a stranger, and must not learn that this delegate is registered.
    isFromMail ? store.secondPayment(regNo) : null,
  ])
  const shown = withOwnAnswers(config, registration, acts)
  const may = allowedActions(state, 'delegate')
  const fields = may.includes('edit') ? editableFields(config, at) : []
  const files = may.includes('edit') ? filesToSend(config, registration.answers, fields) : []
  const { proposed: back } = refundAtCancellation(config, registration, { money, kept }, at)
  return {
    status: 'success',
    registration: registrationView(config, shown, at),
    state,
    paying,
    documents: documents.map(({ id, kind, form, serial, at: issuedAt, total }) => ({
      id,
      kind,
      title: documentTitle({ kind, form }),
      serial,
      at: isoIndia(issuedAt),
      total: rupees(total),
    })),
    edit: {
      fields: editable({ ...config, fields }, shown),
      until: fields.length === 0 ? null : (config.edit?.until ?? null),
    },
    files: filesOf(files, shown),
    // A partial refund would be misleading for a payment made by mistake; the page offers its full refund
    // instead.
    cancel:
      may.includes('ask_cancel') && (second === null || askedAt(acts) !== null)
        ? {
            asked_at: askedAt(acts),
            kept: rupees(kept),
            back: back === null ? null : rupees(back),
          }
        : null,
    second_payment: wireSecondPayment(second, kept),
    refused: await refusedShown(store, config, registration),
  }
}

function filesOf(fields: readonly Field[], { answers }: StoredRegistration): MyAnswer['files'] {
  return fields.flatMap((field) => {
    const { id, label, type, accept = [], bytesMax } = field
    const name = getOwn(answers, id)
    return type !== 'file' || bytesMax === undefined
      ? []
      : [
          {
            id,
            label,
            name: typeof name === 'string' ? name : null,
            accept: [...accept],
            bytes_max: bytesMax,
          },
        ]
  })
}

/** Actions by which the office has answered. */
const ANSWERS: ReadonlySet<StoredAction['act']> = new Set(['note', 'cancel', 'refund', 'transfer'])

/** Returns when the delegate made the request; null: there is none, or the office has answered it. */
function askedAt(acts: readonly StoredAction[]): string | null {
  const last = acts.findLast(({ act }) => act === 'ask_cancel' || ANSWERS.has(act))
  return last?.act === 'ask_cancel' ? isoIndia(last.at) : null
}
