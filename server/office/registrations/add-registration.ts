/** Adds a registration at the desk, paid or unpaid, with the same form and prices that delegates get. */
import type { FastifyReply } from 'fastify'
import {
  assert,
  dayOf,
  withDeskDays,
  listFrontDeskMethods,
  listSearchTexts,
  listSharedDetails,
  normalise,
  readDelegate,
  findManualDeskMethod,
  formatMisnamedMethod,
  getManualMethodOfMode,
  err,
  findAnswerErrors,
  isBlank,
  formatIsoIndia,
  ok,
  getOwn,
  toPublicEvent,
  describeMethodFields,
  readMethodFields,
  memoize,
  buildPublicAvailability,
} from '../../../engine/index.ts'
import type { FieldErrors, RegNo, Result } from '../../../engine/index.ts'
import type {
  ManualRegistrationResponse,
  ManualRegistrationFormResponse,
  SimilarRegistrationsResponse,
  WireSimilarRegistration,
} from '../../../engine/api.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { buildListRow } from '../lists/list-rows.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import {
  refuseAnswers,
  sendRefusal,
  refuseResentWithChanges,
} from '../../registration/registration-errors.ts'
import { readSeatsLeft } from '../../registration/look-up-pricing-context.ts'
import type { DeskPayment } from '../../registration/create-registration.ts'
import { addManualRegistration } from '../../registration/submit-registration.ts'
import { readText } from '../../registration/actions/action-input.ts'
import { findCharacterError } from '../../registration/actions/record-payment.ts'
import type { ActionParameters } from '../../registration/actions/action-input.ts'
import { toWireFields } from '../../registration/actions/payment-instructions.ts'

/**
 * The input of a manual registration: the form's answers, and the payment. `method` is read only to refuse requests that
 * state their payment method there.
 */
const ADD_FIELDS = {
  key: 'text',
  answers: 'object',
  total: 'text',
  way: 'text',
  method: 'text',
  paid: 'object',
} as const
type AddField = keyof typeof ADD_FIELDS
/** This many similar registrations are enough for staff to recognise a duplicate. */
const MAX_SIMILAR_REGISTRATIONS = 5
/** Every manual registration has a key, so that a double click creates only one. */
const KEY_PATTERN = /^[\w-]{8,64}$/

export function addManualRegistrationRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendForm = async (
    { target }: Call<'event'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { config } = target
    const response: ManualRegistrationFormResponse = {
      status: 'success',
      now: formatIsoIndia(deps.clock()),
      event: toPublicEvent(withDeskDays(config, dayOf(deps.clock()))),
      left: buildPublicAvailability(config.quotas, await readSeatsLeft(deps, config, deps.clock())),
      ways: listFrontDeskMethods(config).map((method) => ({
        id: method.id,
        label: method.label,
        asks: toWireFields(method, null),
      })),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const addRegistration = async (
    { user, store, target, body: parameters }: Call<'event', never, AddField>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const key = readText(parameters, 'key')
    if (!KEY_PATTERN.test(key))
      return sendError(
        reply,
        422,
        'bad_data',
        'A key must have 8 to 64 letters, digits or hyphens.',
      )
    const answers = readObject(parameters, 'answers')
    const served = omitFiles(target)
    const paymentResult = readPayment(served, parameters)
    // Problems with the payment and with the form are reported together.
    if (!paymentResult.ok)
      return sendRefusal(
        reply,
        refuseAnswers({ ...findAnswerErrors(served.config, answers), ...paymentResult.error }),
      )
    const result = await addManualRegistration(
      { ...deps, store },
      served,
      { key: `${user.username} ${key}`, answers },
      {
        user: user.username,
        deskPayment:
          paymentResult.value === null ? null : { ...paymentResult.value, actor: user.role },
        shownTotal: getOwn(parameters, 'total'),
      },
    )
    if (!result.ok)
      return sendRefusal(
        reply,
        result.error.code === 'idempotency_key_reused' ? refuseResentWithChanges() : result.error,
      )
    const { reg_no: regNo } = result.value
    const registration = await deps.store.registration(regNo)
    assert(registration !== null, 'the new manual registration does not exist')
    const response: ManualRegistrationResponse = {
      status: 'success',
      reg_no: regNo,
      state: registration.state,
    }
    return reply.code(201).send(response)
  }

  /** Reads the payment received at the desk. Null if nothing was paid. */
  const readPayment = (
    { config }: ServedEvent,
    parameters: Call<'event', never, AddField>['body'],
  ): Result<PaymentInPerson | null, FieldErrors> => {
    const methodId = readText(parameters, 'way')
    const statedMethod = readText(parameters, 'method')
    const methods = listFrontDeskMethods(config)
    if (statedMethod !== '' && statedMethod !== methodId)
      return err({ way: formatMisnamedMethod(methods) })
    const rawPayment = readObject(parameters, 'paid')
    if (methodId === '')
      return Object.values(rawPayment).every(isBlank)
        ? ok(null)
        : err({ way: 'Choose a payment method for the payment details, or remove them.' })
    const method = methods.find(({ id }) => id === methodId)
    if (method === undefined) return err({ way: 'This payment method is not available here.' })
    const methodFieldsResult = readMethodFields(config, method, rawPayment, dayOf(deps.clock()))
    if (!methodFieldsResult.ok) return methodFieldsResult
    const choice = method.fields.find(({ type }) => type === 'select')
    const mode =
      choice === undefined ? '' : String(getOwn(methodFieldsResult.value, choice.id) ?? '')
    const slip =
      method.reference === undefined
        ? ''
        : String(getOwn(methodFieldsResult.value, method.reference) ?? '').replaceAll(/\s+/g, ' ')
    const manualMethod = findManualDeskMethod(method) ?? getManualMethodOfMode(mode)
    const problem = findCharacterError(manualMethod, slip)
    if (problem !== null) return err({ [method.reference ?? 'way']: problem })
    const officeMethod =
      manualMethod === 'desk'
        ? {
            id: method.id,
            label: method.label,
            details: describeMethodFields(method, methodFieldsResult.value),
          }
        : undefined
    return ok({ method, mode: manualMethod, slip, officeMethod })
  }

  /** Lists registrations of the event with the same email, phone or name, to prevent duplicates. */
  const sendSimilar = async (
    { user, target: { config }, body }: Call<'event', never, 'answers'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const answers = readObject(body, 'answers')
    const enteredDetails = readDelegate(config, normalise(config, answers).answers)
    const similarByNumber = new Map<RegNo, WireSimilarRegistration>()
    for (const text of listSearchTexts(enteredDetails)) {
      for (const row of await deps.store.searchEvents(
        [config.id],
        text,
        MAX_SIMILAR_REGISTRATIONS,
      )) {
        const knownDetails = readDelegate(config, row.answers)
        const matches = listSharedDetails(enteredDetails, knownDetails)
        if (matches.length === 0) continue
        similarByNumber.set(row.regNo, {
          reg_no: row.regNo,
          name: knownDetails.fullName,
          matches,
          payment_status: row.paymentStatus,
          payment_status_display: String(buildListRow(config, row)['payment_status_display'] ?? ''),
          in_review: row.inReview,
          in_state: row.state,
        })
      }
    }
    const response: SimilarRegistrationsResponse = {
      status: 'success',
      similar: [...similarByNumber.values()],
    }
    if (similarByNumber.size > 0)
      await deps.store.addAuditEntry({
        at: deps.clock(),
        who: user.username,
        what: `viewed ${similarByNumber.size} registrations of the person being added`,
        eventId: config.id,
        regNo: null,
        look: 'search',
      })
    return reply.header('cache-control', 'no-store').send(response)
  }

  const rule = { minRole: 'desk', target: 'event' } as const
  office.get('/admin/add', rule, sendForm)
  office.post('/admin/add/similar', { ...rule, body: { answers: 'object' } }, sendSimilar)
  office.post('/admin/add', { ...rule, body: ADD_FIELDS }, addRegistration)
}

/** Returns an object from the request. Empty if the value is missing or not an object. */
function readObject(parameters: ActionParameters, name: string): ActionParameters {
  const value = getOwn(parameters, name)
  return typeof value === 'object' && value !== null ? (value as ActionParameters) : {}
}

/**
 * Makes files optional in a manual registration, because the delegate can upload them later on the self-service page.
 */
const omitFiles = memoize((served: ServedEvent): ServedEvent => {
  const fields = served.config.fields.map((field) => {
    const { required: _required, ...rest } = field
    return field.type === 'file' ? rest : field
  })
  return { ...served, config: { ...served.config, fields } }
})

/** A payment received at the desk. */
type PaymentInPerson = Omit<DeskPayment, 'actor'>
