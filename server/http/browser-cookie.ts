/**
 * Reads and sets the cookie that lets an event's form recognise a browser that registered or opened an emailed link.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventConfig, RegNo } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import type { WebForm } from '../storage/index.ts'

/**
 * Only our own pages can send these headers: another site would need CORS permission, which the server never grants.
 */
const FORM_HEADER = 'rollcall-form'
/** The registration that the form asked the delegate about, URL-encoded. */
const REGISTER_AGAIN_HEADER = 'rollcall-again'
/** 256 random bits, of which only the hash is stored. */
const TOKEN_BYTES = 32
const TOKEN_PATTERN = /^[\w-]{43}$/
/** A month covers a delegate's second attempt; later, the link in the confirmation email identifies the browser. */
const COOKIE_SECONDS = 30 * 24 * 60 * 60

const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Unlike `decodeURIComponent`, this never throws. */
const decodeHeader = (encodedText: string): string =>
  new URLSearchParams(`text=${encodedText}`).get('text') ?? ''

const getCookieName = ({ id }: Pick<EventConfig, 'id'>): string => `rollcall_form_${id}`

/** Reads the event's cookie. Undefined if the request has no valid one. */
function readCookieToken(
  event: Pick<EventConfig, 'id'>,
  { server, headers }: FastifyRequest,
): string | undefined {
  const sentToken =
    headers.cookie === undefined
      ? undefined
      : server.parseCookie(headers.cookie)[getCookieName(event)]
  return sentToken !== undefined && TOKEN_PATTERN.test(sentToken) ? sentToken : undefined
}

/** Returns the hash that identifies the browser in the store. Null if the browser sent no cookie. */
export function readBrowser(
  event: Pick<EventConfig, 'id'>,
  request: FastifyRequest,
): string | null {
  const token = readCookieToken(event, request)
  return token === undefined ? null : hashToken(token)
}

/** Returns the browser's cookie for an event: the one that it sent, or a new one. */
function openCookie(
  { environment }: Pick<Deps, 'environment'>,
  event: Pick<EventConfig, 'id'>,
  request: FastifyRequest,
): { readonly browser: string; readonly set: (reply: FastifyReply) => void } {
  const token = readCookieToken(event, request) ?? randomBytes(TOKEN_BYTES).toString('base64url')
  return {
    browser: hashToken(token),
    set: (reply) =>
      void reply.setCookie(getCookieName(event), token, {
        path: '/api',
        httpOnly: true,
        sameSite: 'strict',
        secure: environment.publicUrl.startsWith('https:'),
        maxAge: COOKIE_SECONDS,
      }),
  }
}

/**
 * Responses to web-form registrations are delayed to a multiple of this time. Registering a person who has registered
 * before takes longer, and the response time must not reveal this.
 */
const RESPONSE_STEP_MS = 10
const waitForStep = (startMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, RESPONSE_STEP_MS - ((performance.now() - startMs) % RESPONSE_STEP_MS))
  })

type OpenedForm = {
  readonly form: WebForm | undefined
  readonly setCookie: (reply: FastifyReply) => void
  /** Waits for the next multiple of RESPONSE_STEP_MS. Call it before responding to a registration. */
  readonly waitForStep: () => Promise<void>
}

/** Returns true if one of our own pages sent the request. */
export const isFromOwnPage = ({ headers }: FastifyRequest): boolean =>
  headers[FORM_HEADER] !== undefined

/**
 * Returns the number of the registration that the delegate was asked about before confirming. Null if there is none;
 * undefined if the request does not come from one of our pages.
 */
export function readConfirmedRegNo(request: FastifyRequest): string | null | undefined {
  if (!isFromOwnPage(request)) return undefined
  const header = request.headers[REGISTER_AGAIN_HEADER]
  return header === undefined ? null : decodeHeader(String(header))
}

/**
 * Opens a request of the web form. If something else sent the request, `form` is undefined, and no cookie is read or
 * set.
 */
export function openWebForm(
  deps: Pick<Deps, 'environment'>,
  event: Pick<EventConfig, 'id' | 'email'>,
  request: FastifyRequest,
): OpenedForm {
  const confirmedRegNo = readConfirmedRegNo(request)
  if (confirmedRegNo === undefined)
    return { form: undefined, setCookie: () => {}, waitForStep: async () => {} }
  const startedMs = performance.now()
  const { browser, set } = openCookie(deps, event, request)
  return {
    form: { browser, confirmed: confirmedRegNo, sendsEmail: event.email !== null },
    setCookie: set,
    waitForStep: () => waitForStep(startedMs),
  }
}

/** Records that this browser opened an emailed link, which only the delegate receives. */
export async function recordBrowserOfLink(
  deps: Pick<Deps, 'environment' | 'store'>,
  event: Pick<EventConfig, 'id'>,
  regNo: RegNo,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { browser, set } = openCookie(deps, event, request)
  await deps.store.recordBrowser(regNo, browser)
  set(reply)
}
