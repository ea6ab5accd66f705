/** Serves one registration with all its stored data and files. */
import type { FastifyReply } from 'fastify'
import {
  INR,
  listSeatPools,
  formatAnswer,
  CODE_NAME,
  dayOf,
  readDelegate,
  formatDayShort,
  formatMethod,
  formatMoney,
  listGatewayAccounts,
  getFullQuotaName,
  isAtLeast,
  formatIsoIndia,
  getSeatName,
  toMajorUnits,
  formatIdAsWords,
} from '../../../engine/index.ts'
import { toWireCurrency, toWireLines } from '../../../engine/api.ts'
import type { EventConfig, PaymentEvent } from '../../../engine/index.ts'
import type { OfficeRegistrationResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { buildManualPayments, buildManualRefunds, findPartialPayment } from './recorded-payments.ts'
import type {
  StoredRegistrationUpload,
  StoredPayment,
  StoredRegistration,
} from '../../storage/index.ts'
import { sendError } from '../../http/error-response.ts'
import { buildListRow, findName, formatPaymentStatus } from '../lists/list-rows.ts'
import { describeDispute } from './describe-dispute.ts'
import { maskCode } from '../discount-codes/discount-code-routes.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { findWithSameEmail } from '../../registration/same-person.ts'

export function addRegistrationDetailRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendRegistration = async (
    { user, target }: Call<'registration'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { registration } = target
    const event = target.served.config
    const { regNo } = registration
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: 'opened the registration',
      eventId: event.id,
      regNo,
      look: 'registration',
    })
    const [
      captures,
      decisions,
      refunds,
      emails,
      audit,
      code,
      settlements,
      sameEmail,
      otherPayments,
      disputes,
      ...paymentEvents
    ] = await Promise.all([
      deps.store.captures(regNo),
      deps.store.decisions(regNo),
      deps.store.refunds(regNo),
      deps.store.emailsOfRegistration(regNo),
      deps.store.auditOf(regNo),
      deps.store.discountCodeOfRegistration(regNo),
      deps.store.settlementLinesOf(regNo),
      findWithSameEmail(deps, event, registration),
      deps.store.otherPaymentsOfPerson(regNo),
      deps.store.disputesOf(regNo),
      ...registration.payments.map(({ orderId }) => deps.store.paymentEvents(orderId)),
    ])
    const response: OfficeRegistrationResponse = {
      status: 'success',
      registration: buildListRow(event, {
        ...registration,
        accounts: findPaidAccounts(registration),
      }),
      ...toWireCurrency(registration.currency),
      name: findName(event, registration),
      contact: buildContact(event, registration),
      ...(event.fees.tax !== null && { tax_name: event.fees.tax.name }),
      lines: toWireLines(registration.lines, registration.currency),
      answers: buildAnswers(event, registration, code === null ? null : maskCode(user.role, code)),
      payments: registration.payments.map((payment, index) => ({
        order_id: payment.orderId,
        amount: toMajorUnits(payment.amount, registration.currency),
        ...findPartialPayment(payment, captures),
        status: payment.status,
        review: payment.review,
        reference: payment.reference,
        created_at: formatIsoIndia(payment.createdAt),
        asked: describeRequest(event, payment),
        facts: [
          ...buildManualPayments(payment, captures),
          ...buildManualRefunds(refunds, captures, decisions, payment),
          ...(paymentEvents[index] ?? []).map(({ at, type, body }) => ({
            at: formatIsoIndia(at),
            type,
            text: describePaymentEvent(body, payment),
          })),
        ],
      })),
      settled: settlements.map(({ is, order, reference, amount, fee, tax, net, day, utr }) => ({
        is,
        reference: reference === '' ? order : reference,
        amount: toMajorUnits(amount, INR),
        fee: toMajorUnits(fee, INR),
        tax: toMajorUnits(tax, INR),
        net: toMajorUnits(net, INR),
        day,
        utr,
      })),
      disputes: disputes.map(describeDispute),
      ...(disputes.length > 0 &&
        isAtLeast(user.role, 'treasurer') && {
          evidence_url: `/admin/registrations/${regNo}/evidence/`,
        }),
      mails: emails.map(({ id, to, subject, status, at, error }) => ({
        id,
        to,
        subject,
        status,
        at: formatIsoIndia(at),
        error,
      })),
      audit: audit.toReversed().map(({ at, who: user, what }) => ({
        at: formatIsoIndia(at),
        who: user,
        what,
        is_access: /^(?:viewed|saw|opened) /.test(what),
      })),
      same_email: sameEmail.map((otherRegistration) => ({
        reg_no: otherRegistration.regNo,
        payment_status_display: formatPaymentStatus(otherRegistration),
      })),
      paid_by_same_person: [...otherPayments.regNos],
      event: {
        id: event.id,
        title: event.title,
        route: event.admin.lists[0]?.route ?? '/admin/dashboard',
      },
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const sendFile = async (
    { user, target, params }: Call<'registration', never, never, 'field'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { registration } = target
    const event = target.served.config
    const upload = registration.uploads.find(({ field }) => field === params.field)
    if (upload !== undefined && upload.droppedAt !== null)
      return sendError(
        reply,
        410,
        'dropped',
        `This file was deleted on ${formatDayShort(dayOf(upload.droppedAt))}, because the registration was unpaid.`,
      )
    const storedFile = upload === undefined ? null : await deps.uploads.read(upload.sha256)
    if (upload === undefined || storedFile === null)
      return sendError(reply, 404, 'not_found', 'No such file.')
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: `opened the file ${upload.field}`,
      eventId: event.id,
      regNo: registration.regNo,
      look: `file ${upload.field}`,
    })
    reply
      .header('content-type', upload.type)
      .header('content-disposition', formatContentDisposition(upload.name))
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cache-control', 'no-store')
    return reply.header('content-length', storedFile.bytes).send(storedFile.content)
  }

  const rule = { minRole: 'viewer', target: 'registration' } as const
  office.get('/admin/registrations/:reg_no', rule, sendRegistration)
  office.get('/admin/registrations/:reg_no/files/:field', { ...rule, params: ['field'] }, sendFile)
}

function buildContact(
  event: EventConfig,
  { answers }: StoredRegistration,
): OfficeRegistrationResponse['contact'] {
  const { email, phone } = readDelegate(event, answers)
  return { email, phone }
}

/**
 * Returns the answers in form order, then the event file's additional values, then answers to fields that the form no
 * longer has.
 */
function buildAnswers(
  event: EventConfig,
  registration: StoredRegistration,
  code: string | null,
): OfficeRegistrationResponse['answers'] {
  const knownFields = [...event.fields, ...event.alsoStored]
  const otherIds = Object.keys(registration.answers).filter(
    (id) =>
      !knownFields.some((field) => field.id === id) &&
      (id !== CODE_NAME || code === null) &&
      !id.startsWith(getFullQuotaName('')),
  )
  const { regNo, formerNo } = registration
  const formerNumber =
    formerNo === null || formerNo === String(regNo)
      ? []
      : [{ id: 'former_no', label: 'Number before import', text: formerNo }]
  const answers = [
    ...knownFields,
    ...otherIds.map((id) => ({ id, label: labelMemberListResult(event, id) })),
  ].flatMap(({ id, label }) => {
    const upload = registration.uploads.find(({ field }) => field === id)
    const answer = registration.answers[id]
    if (answer === undefined && upload === undefined) return []
    const text =
      describeFile(upload) ?? (answer === undefined ? '' : formatAnswer(event, id, answer))
    return [
      {
        id,
        label,
        text,
        ...(upload?.droppedAt === null && {
          href: `/admin/registrations/${registration.regNo}/files/${encodeURIComponent(id)}/`,
        }),
      },
    ]
  })
  const kind = event.codeKinds.find(({ id }) => id === registration.answers[CODE_NAME])
  const usedCode =
    code === null
      ? []
      : [
          {
            id: CODE_NAME,
            label: 'Code',
            text: kind === undefined ? code : `${code} (${kind.label})`,
          },
        ]
  return [...formerNumber, ...answers, ...usedCode, ...buildFullItems(event, registration)]
}

/** Returns the items that were full when the registration was priced, under their names in the form. */
function buildFullItems(
  event: EventConfig,
  { answers }: StoredRegistration,
): OfficeRegistrationResponse['answers'] {
  const fullIds = Object.keys(answers).filter((id) => id.startsWith(getFullQuotaName('')))
  if (fullIds.length === 0) return []
  const pools = listSeatPools(event.quotas)
  const names = fullIds.map((id) => {
    const poolId = id.slice(getFullQuotaName('').length)
    const pool = pools.find((candidate) => candidate.id === poolId)
    return pool === undefined ? formatIdAsWords(poolId) : getSeatName(event, pool)
  })
  return [{ id: 'full', label: 'Sold out before this registration', text: names.join(', ') }]
}

/** Labels a member list result, which is listed with the answers under its own id. */
function labelMemberListResult({ fields }: EventConfig, id: string): string {
  const [fieldId = '', ...rest] = id.split('.')
  const field = fields.find((candidate) => candidate.id === fieldId)
  if (rest.length === 0) return id
  return field === undefined
    ? `${formatIdAsWords(fieldId)}: ${rest.join('.')}`
    : `${field.label}: ${rest.join('.')}`
}

/** Returns a file's name and whether it was deleted. Undefined if there was no file. */
function describeFile(upload: StoredRegistrationUpload | undefined): string | undefined {
  if (upload === undefined || upload.droppedAt === null) return upload?.name
  return `${upload.name} (deleted on ${formatDayShort(dayOf(upload.droppedAt))}: the registration was unpaid)`
}

/** Returns the gateway accounts of the successful card payments, in the format of the lists. */
function findPaidAccounts({ payments }: Pick<StoredRegistration, 'payments'>): string | null {
  const paidAccounts = payments.flatMap(({ status, gateway, account }) =>
    (status === 'success' || status === 'refunded') && gateway != null && account !== null
      ? [`${gateway} ${account}`]
      : [],
  )
  return paidAccounts.length === 0 ? null : [...new Set(paidAccounts)].join(',')
}

/** Describes how a payment started: only a gateway payment was sent to the gateway. */
function describeRequest(
  event: EventConfig,
  { way: method, isDifference, handedOffAt, gateway, account }: StoredPayment,
): string {
  const label =
    event.methods.find(({ id }) => id === method)?.label ??
    (method === null ? null : formatMethod(method))
  // Several accounts of an event may share a gateway or a label.
  const isAmbiguous = listGatewayAccounts(event).length > 1 && gateway != null && account !== null
  const card = isAmbiguous ? ` (${gateway}, account ${account})` : ''
  const methodText = label === null ? card : ` (${label})`
  // A difference counts as sent to the gateway from the time of the correction, so that the gateway is queried about
  // it.
  if (isDifference) return `Payment of the remaining amount requested${methodText}.`
  if (method !== null) return `Payment method: ${label}.`
  return handedOffAt === null ? `Payment requested${card}.` : `Sent to the payment gateway${card}.`
}

function describePaymentEvent(paymentEvent: PaymentEvent, payment: StoredPayment): string {
  switch (paymentEvent.type) {
    case 'confirmed':
      return `The gateway confirmed ${formatMoney(paymentEvent.amount, payment.currency)}${paymentEvent.amount === payment.amount ? '' : ` instead of ${formatMoney(payment.amount, payment.currency)}`}, reference ${paymentEvent.reference}.`
    case 'declined':
      return `The gateway declined the payment: ${paymentEvent.message} (${paymentEvent.code}).`
    case 'expired':
      // A gateway is never queried about a manual request, so only a card payment can end it in this way.
      return payment.way !== null
        ? 'Replaced by a card payment.'
        : 'Expired: the gateway has no record of this payment.'
    case 'undecided':
      return 'Needs review: the gateway has not returned a final result.'
    case 'refunded':
      return `${formatMoney(paymentEvent.amount, payment.currency)} was refunded, reference ${paymentEvent.reference}.`
  }
}

/** Formats the header (RFC 6266): a plain name for old clients, and the real name in UTF-8. */
function formatContentDisposition(name: string): string {
  const asciiName = name.replaceAll(/[^ -~]|["\\]/g, '_')
  return `attachment; filename="${asciiName}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)}`
}
