/** Formats the evidence for a disputed payment: consents, the frozen bill, documents and emails. */
import {
  formatInstant,
  formatPaidAt,
  formatMoney,
  isConsentSentence,
  readDelegate,
  removeForeignLinks,
  collectEventWords,
  type DocumentBody,
  type EventConfig,
  type Instant,
} from '../../engine/index.ts'
import { EVIDENCE_MESSAGES, LINK_PLACEHOLDER, formatMessage } from '../../engine/messages.ts'
import type {
  Store,
  StoredCapture,
  StoredDispute,
  StoredRefund,
  StoredRegistration,
} from '../storage/index.ts'
import { formatDocument } from './document-contents.ts'
import type { Pair } from './rupee-notes.ts'

export type EvidenceSection = {
  readonly heading: string
  readonly pairs: readonly Pair[]
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly text: string
}
/** The input of `evidence-layout.typ`. */
export type PrintedEvidence = {
  readonly title: string
  readonly serial: string
  readonly event: string
  readonly colour: string
  readonly sections: readonly EvidenceSection[]
  readonly foot: string
}
export type EvidenceInput = {
  readonly event: EventConfig
  readonly registration: StoredRegistration
  readonly disputes: readonly StoredDispute[]
  readonly captures: readonly StoredCapture[]
  readonly refunds: readonly StoredRefund[]
  readonly audit: Awaited<ReturnType<Store['auditOf']>>
  readonly documents: readonly DocumentBody[]
  readonly emails: Awaited<ReturnType<Store['emailsOfRegistration']>>
  readonly at: Instant
}

const text = EVIDENCE_MESSAGES
const buildSection = (heading: string, parts: Partial<EvidenceSection>): EvidenceSection => ({
  heading,
  pairs: [],
  columns: [],
  rows: [],
  text: '',
  ...parts,
})

/** Formats the evidence. As in other documents, no word that a delegate typed becomes a link in a PDF viewer. */
export function formatEvidence(input: EvidenceInput): PrintedEvidence {
  const { event, registration, at } = input
  const { email } = readDelegate(event, registration.answers)
  const escapeText = (typed: string): string =>
    removeForeignLinks(typed, collectEventWords(event), new Set(email.includes('/') ? [] : [email]))
  return {
    title: text.title,
    serial: registration.regNo,
    event: event.title,
    colour: event.look.colour,
    sections: [
      buildSummary(input, escapeText),
      buildPayments(input),
      buildConsents(input),
      buildBill(input, escapeText),
      ...input.documents.map((body) => buildDocument(body, event)),
      ...input.emails.map((mail) => buildEmail(mail, escapeText)),
    ],
    foot: formatMessage(text.footer, { time: formatInstant(at) }),
  }
}

function buildSummary(
  { event, registration, disputes }: EvidenceInput,
  escapeText: (typed: string) => string,
): EvidenceSection {
  const { fullName, email } = readDelegate(event, registration.answers)
  return buildSection(text.dispute, {
    pairs: [
      [text.registration, registration.regNo],
      [text.name, escapeText(fullName)],
      [text.delegateEmail, escapeText(email)],
      [text.registered, formatInstant(registration.createdAt)],
      [text.version, registration.eventHash],
      ...disputes.map(({ disputeId, reference, amount, currency, reason }): Pair => [
        disputeId,
        [formatMoney(amount, currency), reference, reason].filter(Boolean).join(', '),
      ]),
    ],
  })
}

function buildPayments({ registration, captures, refunds }: EvidenceInput): EvidenceSection {
  const formatAmount = (amount: StoredCapture['amount']): string =>
    formatMoney(amount, registration.currency)
  return buildSection(text.payments, {
    columns: [text.payment, text.reference, text.amount],
    rows: [
      ...captures.map(({ paidAt, reference, amount }) => [
        formatPaidAt(paidAt),
        reference,
        formatAmount(amount),
      ]),
      ...refunds
        .filter(({ state }) => state === 'done')
        .map(({ at, reference, amount }) => [
          formatMessage(text.refund, { time: formatInstant(at) }),
          reference ?? '',
          formatAmount(amount),
        ]),
    ],
  })
}

function buildConsents({ audit }: EvidenceInput): EvidenceSection {
  const pairs = audit
    .filter(({ what }) => isConsentSentence(what))
    .map(({ at, what }): Pair => [formatInstant(at), what])
  return buildSection(text.consents, { pairs, text: pairs.length === 0 ? text.noConsents : '' })
}

function buildBill(
  { registration }: EvidenceInput,
  escapeText: (typed: string) => string,
): EvidenceSection {
  const { lines, total, gst, currency } = registration
  const formatAmount = (amount: StoredCapture['amount']): string => formatMoney(amount, currency)
  return buildSection(text.bill, {
    columns: [text.item, text.quantity, text.amount],
    rows: [
      ...lines.map(({ label, quantity, total: amount }) => [
        escapeText(label),
        String(quantity),
        formatAmount(amount),
      ]),
      ...(gst === null || gst === 0 ? [] : [[text.tax, '', formatAmount(gst)]]),
      ...(total === null ? [] : [[text.total, '', formatAmount(total)]]),
    ],
  })
}

/** Builds a section with the same text and amounts as the document that the delegate received. */
function buildDocument(body: DocumentBody, event: EventConfig): EvidenceSection {
  const printedDocument = formatDocument(body, event)
  return buildSection(`${printedDocument.title} ${printedDocument.serial}`, {
    pairs: [
      ...printedDocument.head,
      [printedDocument.from_title, printedDocument.from.join('\n')],
      [printedDocument.to_title, printedDocument.to.join('\n')],
      ...printedDocument.sums,
      printedDocument.total,
      ...printedDocument.notes,
    ],
    columns: printedDocument.columns,
    rows: printedDocument.rows,
  })
}

function buildEmail(
  { to, subject, status, at, text: body }: EvidenceInput['emails'][number],
  escapeText: (typed: string) => string,
): EvidenceSection {
  return buildSection(formatMessage(text.email, { subject: escapeText(subject) }), {
    pairs: [
      [text.to, to],
      [status === 'sent' ? text.sent : text.notSent, formatInstant(at)],
    ],
    // The link to the delegate's own page is inserted when the email is sent.
    text: escapeText(body.replaceAll(LINK_PLACEHOLDER, text.link)),
  })
}
