/** Reads the recipient of documents: the current holder of a registration, with the answers that are theirs. */
import { isSameRecipient, readBuyer, removePreviousBuyer } from '../../../engine/index.ts'
import type { AnswerAction, Answers, Issuer, ItemsPaidFor } from '../../../engine/index.ts'
import { findIssuer } from './store-documents.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { RegistrationRow } from '../registrations/row-mapping.ts'

/** Returns the last transfer and the later actions, oldest first. Empty if the registration was never transferred. */
export const actionsSinceTransfer = statement(
  (builder, { registrationId }: { registrationId: number }) =>
    builder
      .selectFrom('acts')
      .select(['act', 'data'])
      .where('registration_id', '=', registrationId)
      .where('id', '>=', ({ selectFrom }) =>
        selectFrom('acts')
          .select(({ fn }) => fn.max('id').as('id'))
          .where('registration_id', '=', registrationId)
          .where('act', '=', 'transfer'),
      )
      .orderBy('id'),
)

const invoiceOfRegistration = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('documents')
    .select('id')
    .where('registration_id', '=', registrationId)
    .where('kind', '=', 'invoice')
    .limit(1),
)

export type Recipient = Pick<ItemsPaidFor, 'regNo' | 'answers' | 'fullName' | 'currency' | 'email'>

/** Reads the recipient of a new document. `action`: the current action, which is not stored yet. */
export async function readRecipient(
  sql: Sql,
  registration: RegistrationRow,
  issuer: Issuer,
  action?: AnswerAction,
): Promise<Recipient> {
  const answers = JSON.parse(registration.answers) as Answers
  return {
    regNo: registration.reg_no,
    answers: await removePreviousAnswers(sql, registration.id, issuer, { answers, action }),
    fullName: registration.full_name,
    currency: registration.currency,
    email: registration.email,
  }
}

/**
 * Explains to staff how an action on the answers affects the recipient of invoices. Empty if it does not. Call this
 * before the action issues documents.
 */
export async function explainRecipientChange(
  sql: Sql,
  { id: registrationId, event_id: eventId, ...row }: RegistrationRow,
  corrected: { readonly answers: Answers; readonly fullName: string; readonly email: string },
  action: AnswerAction,
): Promise<string> {
  const issuer = await findIssuer(sql, eventId)
  if (issuer === null || issuer.invoice === null) return ''
  const answers = JSON.parse(row.answers) as Answers
  if (action.act === 'transfer') {
    const keptAnswers = removePreviousBuyer(issuer, corrected.answers, [action])
    const labels = Object.entries(issuer.labels ?? {}).flatMap(([id, label]) =>
      Object.hasOwn(corrected.answers, id) && !Object.hasOwn(keptAnswers, id) ? [label] : [],
    )
    return labels.length === 0
      ? ''
      : ` Later invoices omit the previous holder's answers. For the new holder, save these answers again: ${labels.join(', ')}.`
  }
  if ((await invoiceOfRegistration.get(sql, { registrationId })) === undefined) return ''
  const [before, after] = await Promise.all([
    removePreviousAnswers(sql, registrationId, issuer, { answers, action: undefined }),
    removePreviousAnswers(sql, registrationId, issuer, { answers: corrected.answers, action }),
  ])
  return isSameRecipient(
    readBuyer(issuer, { answers: before, fullName: row.full_name, email: row.email }),
    readBuyer(issuer, { ...corrected, answers: after }),
  )
    ? ''
    : ' The documents already issued keep their recipient.'
}

async function removePreviousAnswers(
  sql: Sql,
  registrationId: number,
  issuer: Issuer,
  { answers, action }: { answers: Answers; action: AnswerAction | undefined },
): Promise<Answers> {
  // Without fields about the buyer, documents state only the name and the email address.
  if (Object.keys(issuer.invoice?.buyer ?? {}).length === 0) return answers
  const storedActions = (await actionsSinceTransfer.all(sql, { registrationId })).map(
    ({ act, data }) => ({ act, data: JSON.parse(data) as AnswerAction['data'] }),
  )
  return removePreviousBuyer(issuer, answers, [...storedActions, ...(action ? [action] : [])])
}
