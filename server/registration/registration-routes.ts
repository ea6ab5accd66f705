/** Defines the routes with paths from the event file: registering, reading a registration, the price list. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getOwn, buildPublicAvailability } from '../../engine/index.ts'
import { buildTariff } from '../../engine/api.ts'
import { SERVER_MESSAGES } from '../../engine/messages.ts'
import type { AvailabilityResponse, RegistrationResponse } from '../../engine/api.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { readBody } from '../http/request-body.ts'
import type { EventRoute } from '../http/event-route-table.ts'
import { openWebForm } from '../http/browser-cookie.ts'
import { getAddressKey, sendTooMany } from '../http/rate-limit.ts'
import { sendError } from '../http/error-response.ts'
import { findSecondPaymentForBrowser } from '../payments/describe-duplicate-payment.ts'
import { sendWithTag } from '../http/stored-responses.ts'
import { rejectNonText } from '../http/text-only-json.ts'
import type { GuessLimit } from './guessing-limits.ts'
import { readSeatsLeft } from './look-up-pricing-context.ts'
import {
  findRegistration,
  isRegisteringBrowser,
  isGuessableNumber,
  isDelegateEmail,
} from './find-registration.ts'
import type { LookupGuard } from './find-registration.ts'
import { buildInstructionsOnly } from './actions/payment-instructions.ts'
import { hideNewHolder, hidePreviousHolder } from './answers-after-transfer.ts'
import { refuseBody, sendRefusal } from './registration-errors.ts'
import { buildRegisterHandler } from './submit-registration.ts'
import { buildPublicView, listAmountsUnderReview } from './registration-views.ts'

const { emailNeeded: EMAIL_NEEDED, emailDiffers: EMAIL_DIFFERS } = SERVER_MESSAGES.lookup

/** Adds the routes of every served event to the routing table. */
export function addRegistrationRoutes(
  app: FastifyInstance,
  deps: Deps,
  guard: LookupGuard,
  guessLimit: GuessLimit,
): void {
  const register = buildRegisterHandler(deps, guard, guessLimit)

  /** `email` is undefined if the request has no email address. */
  const sendRegistration = async (
    servedEvent: ServedEvent,
    request: FastifyRequest,
    reply: FastifyReply,
    number: string,
    email: unknown,
  ): Promise<FastifyReply> => {
    const { config } = servedEvent
    const address = getAddressKey(request)
    const waitMs = await guard.wait(address, config.id, number)
    if (waitMs > 0) return sendTooMany(reply, waitMs)
    const storedRegistration = await findRegistration(deps, config, number)
    if (storedRegistration === null) {
      const waitAfterCountMs = await guard.count(address, config.id, number)
      if (waitAfterCountMs > 0) return sendTooMany(reply, waitAfterCountMs)
      return sendError(reply, 404, 'not_found', config.results.errors.notFound)
    }
    const isEmailCorrect = isDelegateEmail(config, storedRegistration, email)
    if (!isEmailCorrect && (isGuessableNumber(storedRegistration, number) || email !== undefined)) {
      const waitAfterCountMs = await guard.count(address, config.id, number)
      if (waitAfterCountMs > 0) return sendTooMany(reply, waitAfterCountMs)
      return email === undefined
        ? sendError(reply, 403, 'email_needed', EMAIL_NEEDED)
        : sendError(reply, 403, 'email_differs', EMAIL_DIFFERS)
    }
    const waitAfterAdmitMs = await guard.admit(address, config.id, storedRegistration.regNo, number)
    if (waitAfterAdmitMs > 0) return sendTooMany(reply, waitAfterAdmitMs)
    const isDelegate =
      isEmailCorrect || (await isRegisteringBrowser(deps, request, storedRegistration))
    const actions = storedRegistration.wasTransferred
      ? await deps.store.actions(storedRegistration.regNo)
      : []
    const shownRegistration = isDelegate
      ? hidePreviousHolder(config, storedRegistration, actions)
      : hideNewHolder(config, storedRegistration, actions)
    const registration = buildPublicView(config, shownRegistration, deps.clock(), isDelegate)
    const paymentInstructions =
      isDelegate && registration.stands === 'by-hand'
        ? await buildInstructionsOnly(deps, config, storedRegistration)
        : null
    const secondPayment = await findSecondPaymentForBrowser(
      deps,
      config,
      storedRegistration,
      request,
    )
    const response: RegistrationResponse = {
      status: 'success',
      registration,
      ...(isDelegate
        ? await listAmountsUnderReview(deps.store, storedRegistration)
        : { partial: true as const }),
      ...(paymentInstructions !== null && { paying: paymentInstructions }),
      ...(secondPayment !== null && { paid_twice: secondPayment }),
    }
    return reply.send(response)
  }

  const handleRead =
    (servedEvent: ServedEvent): EventRoute['handle'] =>
    async (request, reply, params) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      return sendRegistration(servedEvent, request, reply, params.reg_no ?? '', undefined)
    }

  /**
   * Handles the same request with the email address in the body, because it must not be in a URL. The response then
   * contains more data. The email address is required if the number can be guessed by counting.
   */
  const handleReadWithEmail =
    (servedEvent: ServedEvent): EventRoute['handle'] =>
    async (request, reply, params) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      const body = await readBody(request, new Map(), deps.uploads)
      if (!body.ok) return sendRefusal(reply, refuseBody(servedEvent.config, body.error))
      if (rejectNonText(reply, body.value.values, ['email'])) return reply
      const email = getOwn(body.value.values, 'email') ?? undefined
      return sendRegistration(servedEvent, request, reply, params.reg_no ?? '', email)
    }

  const handleAvailability = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { id } = request.params
    const servedEvent =
      deps.events.findById(id) ?? ((await deps.events.refresh()) ? deps.events.findById(id) : null)
    if (servedEvent === null)
      return sendError(reply, 404, 'no_such_event', SERVER_MESSAGES.noSuchEvent)
    const { config } = servedEvent
    const availability = buildPublicAvailability(
      config.quotas,
      await readSeatsLeft(deps, config, deps.clock()),
    )
    const response: AvailabilityResponse = { status: 'success', left: availability }
    return sendWithTag(request, reply.header('cache-control', 'max-age=1'), response)
  }
  /** The browser requests the form's cookie when the delegate begins to fill in the form. */
  const handleBrowserCookie = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const servedEvent = deps.events.findById(request.params.id)
    if (servedEvent === null)
      return sendError(reply, 404, 'no_such_event', SERVER_MESSAGES.noSuchEvent)
    openWebForm(deps, servedEvent.config, request).setCookie(reply)
    return reply.header('cache-control', 'no-store').code(204).send()
  }
  for (const slash of ['', '/']) {
    app.get(`/api/events/:id/availability${slash}`, handleAvailability)
    app.get(`/api/events/:id/browser${slash}`, handleBrowserCookie)
  }

  app.eventRoutes.add((servedEvent) => {
    const { api } = servedEvent.config
    return [
      {
        method: 'POST',
        path: api.register,
        handle: (request, reply) => register(servedEvent, request, reply),
      },
      { method: 'GET', path: api.registration, handle: handleRead(servedEvent) },
      { method: 'POST', path: api.registration, handle: handleReadWithEmail(servedEvent) },
      {
        method: 'GET',
        path: api.tariff,
        handle: async (_request, reply) => {
          const { config } = servedEvent
          const at = deps.clock()
          const seatsLeft = await readSeatsLeft(deps, config, at)
          return reply.header('cache-control', 'no-store').send(buildTariff(config, at, seatsLeft))
        },
      },
    ]
  })
}
