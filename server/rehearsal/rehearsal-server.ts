/**
 * Runs a server for the rehearsal of one event.
 * It has a temporary database, a clock that the rehearsal sets, the sandbox gateway, and no socket. It receives the
 * requests that the form, the self-service page and the office would send.
 */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { assert, buildGatewayForm, err, expectOk, ok, readDelegate } from '../../engine/index.ts'
import type { Answers, EventConfig, Instant, OrderId, RegNo, Result } from '../../engine/index.ts'
import type {
  ErrorResponse,
  PaymentData,
  RegisterResponse,
  SelfServiceResponse,
} from '../../engine/api.ts'
import { assembleServer } from '../assemble-server.ts'
import { checkFolderInThisThread } from '../events/files/event-folder.ts'
import { hashPassword } from '../office/auth/passwords.ts'
import { readEnvironment } from '../ops/environment.ts'
import { issueLink } from '../registration/access-link.ts'
import { buildSamplePdf } from './invented-people.ts'
import { openStore } from '../storage/open-store.ts'
import type { ListedMail } from '../storage/mail/email-list-types.ts'
import type { MemberListRow } from '../storage/index.ts'
import type { StoredRegistration } from '../storage/index.ts'

/** An event file with the folder of its shared files, which the server reads. */
export type RehearsedFile = {
  readonly event: EventConfig
  readonly text: string
  readonly sharedFolder: string
  /** The folder for the rehearsal's files; defaults to the system's temporary folder. */
  readonly folder?: string
}

/** The message of a refusal, or the data of a success. */
export type ServerResult<Data> = Result<Data, { readonly status: number; readonly message: string }>
export type RehearsalServer = {
  now(): Instant
  setTime(at: Instant): void
  /** Sends the form. */
  register(answers: Answers): Promise<ServerResult<RegisterResponse>>
  /** Pays the order at the gateway as the delegate, and has the gateway confirm it. */
  pay(orderId: OrderId): Promise<void>
  /** Reads the self-service page. */
  readSelfServicePage(regNo: RegNo): Promise<SelfServiceResponse>
  /** Performs an action on the self-service page as the delegate. */
  actAsDelegate(regNo: RegNo, action: object): Promise<ServerResult<{ message: string }>>
  /** Performs an action on a registration as staff. */
  actAsStaff(regNo: RegNo, action: object): Promise<ServerResult<{ message: string }>>
  /** Adds a registration at the front desk as staff. */
  addAtDesk(answers: Answers, payment: object): Promise<ServerResult<{ reg_no: string }>>
  fillMemberLists(rowsByList: ReadonlyMap<string, readonly MemberListRow[]>): Promise<void>
  registration(regNo: RegNo): Promise<StoredRegistration | null>
  /** Runs each background job once: polling, expiry, prices, reminders, refund emails, erasure, emails. */
  runJobs(): Promise<void>
  /** Returns the emails of the event, oldest first. */
  emails(): Promise<readonly ListedMail[]>
  close(): Promise<void>
}

const STAFF = { username: 'rehearsal', password: 'of the rehearsal only' }
/** The number of emails read from the store at a time; a rehearsal sends fewer between two reads. */
const MAX_EMAILS = 500
const QUERY_TIMEOUT_MS = 20_000

/** Starts the server. Fails with the server's own message if it cannot serve the file. */
export async function startRehearsalServer(
  { event, text, sharedFolder, folder: parent = tmpdir() }: RehearsedFile,
  startsAt: Instant,
): Promise<Result<RehearsalServer, string>> {
  const folder = await mkdtemp(path.join(parent, 'rollcall-rehearsal-'))
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true })
  const eventsDir = path.join(folder, 'events')
  const dataDir = path.join(folder, 'data')
  await mkdir(eventsDir)
  await mkdir(dataDir)
  await cp(sharedFolder, path.join(eventsDir, '_shared'), { recursive: true })
  await writeFile(path.join(eventsDir, `${event.id}.yaml`), text)
  const environment = readEnvironment({
    DATA_DIR: dataDir,
    EVENTS_DIR: eventsDir,
    RATE_LIMITS: 'off',
    SANDBOX_PORT: '0',
  })
  assert(environment.ok, 'the environment of a rehearsal is refused')
  await (await openStore({ dataDir, migrates: true, isNew: true })).close()
  let now = startsAt
  let elapsedMs = 0
  const problems: string[] = []
  const assembleResult = await assembleServer(environment.value, {
    clock: () => now,
    steadyMs: () => elapsedMs,
    log: {
      info: () => {},
      warn: () => {},
      error: (_entry, message) => void problems.push(message ?? 'The server reports an error.'),
    },
    print: (line) => void problems.push(line),
    hasJobs: false,
    checkFolder: checkFolderInThisThread,
  })
  if (!assembleResult.ok) {
    await removeFolder()
    // Paths on the server are not shown.
    return err(
      [assembleResult.error.text, ...problems].join('\n').replaceAll(`${eventsDir}${path.sep}`, ''),
    )
  }
  const server = assembleResult.value
  const { app, deps } = server
  await deps.store.addAdmin(STAFF.username, await hashPassword(STAFF.password), now)
  let requestCount = 0

  const send = async <Data>(
    url: string,
    body: object | FormData,
    token: string | null = null,
  ): Promise<ServerResult<Data>> => {
    const encodedBody = body instanceof FormData ? new Response(body) : null
    const response = await app.inject({
      method: 'POST',
      url,
      headers: {
        'content-type': encodedBody?.headers.get('content-type') ?? 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      payload:
        encodedBody === null ? JSON.stringify(body) : Buffer.from(await encodedBody.arrayBuffer()),
    })
    const { statusCode: status } = response
    return status < 300
      ? ok(response.json<Data>())
      : err({ status, message: response.json<ErrorResponse>().message })
  }
  // A session lasts for hours, but a rehearsal covers months, so staff sign in for each request.
  const sendAsStaff = async <Data>(url: string, body: object): Promise<ServerResult<Data>> => {
    const session = expectOk(await send<{ token: string }>('/admin/login/', STAFF))
    requestCount += 1
    return send<Data>(url, { key: `rehearsed-click-${requestCount}`, ...body }, session.token)
  }
  const findPagePath = async (regNo: RegNo): Promise<string> => {
    const link = await issueLink(deps, { regNo, eventId: event.id })
    return `/api${new URL(link).pathname}`
  }
  const checkouts = new Map<string, string | null>()
  /** Posts the payment data to the gateway, as the browser does after the form is sent. */
  const openGatewayPage = async (data: PaymentData): Promise<void> => {
    const form = buildGatewayForm(event, data)
    assert(form !== undefined, 'an order does not belong to any gateway')
    const response = await fetch(data.payment_url, {
      method: 'POST',
      body: new URLSearchParams(form.fields),
      redirect: 'manual',
    })
    await response.body?.cancel()
    checkouts.set(data.orderid, data['checkout_id'] ?? null)
  }
  /**
   * Returns the order's checkout; null if its gateway has none. Sends the order to the gateway first if that has not
   * been done, as after an approval or a repeated request.
   */
  const continuePayment = async (orderId: OrderId): Promise<string | null> => {
    if (!checkouts.has(orderId)) {
      const registration = await deps.store.registrationByOrder(orderId)
      const email = registration === null ? '' : readDelegate(event, registration.answers).email
      const body = { order_id: orderId, email }
      const { payment_data: data } = expectOk(
        await send<RegisterResponse>('/api/payment/retry/', body),
      )
      if (data !== undefined) await openGatewayPage(data)
    }
    return checkouts.get(orderId) ?? null
  }
  return ok({
    now: () => now,
    setTime: (at) => {
      elapsedMs += at - now
      now = at
    },
    register: async (answers) => {
      const result = await send<RegisterResponse>(event.api.register, encodeAnswers(event, answers))
      if (result.ok && result.value.payment_data !== undefined)
        await openGatewayPage(result.value.payment_data)
      return result
    },
    pay: async (orderId) => {
      assert(server.simulators !== null, 'a rehearsal has no gateway')
      const { airpay, razorpay } = server.simulators.byKind
      const checkout = await continuePayment(orderId)
      if (checkout === null) await airpay.runAction(orderId, 'pay')
      else await razorpay.run(checkout, 'first')
      await deps.payments.verify(orderId, QUERY_TIMEOUT_MS)
    },
    readSelfServicePage: async (regNo) =>
      (await app.inject(await findPagePath(regNo))).json<SelfServiceResponse>(),
    actAsDelegate: async (regNo, action) => {
      requestCount += 1
      const body = { key: `rehearsed-click-${requestCount}`, ...action }
      return send(`${await findPagePath(regNo)}/acts`, body)
    },
    actAsStaff: (regNo, action) => sendAsStaff(`/admin/registrations/${regNo}/acts/`, action),
    addAtDesk: (answers, payment) =>
      sendAsStaff('/admin/add/', { event: event.id, answers, ...payment }),
    fillMemberLists: async (rowsByList) => {
      for (const [listId, rows] of rowsByList)
        await deps.store.replaceMemberList(event.id, listId, rows, STAFF.username, now)
    },
    registration: (regNo) => deps.store.registration(regNo),
    runJobs: async () => {
      await deps.payments.queryDue()
      await server.expiry.run()
      await server.priceUpdates.run()
      await server.paymentReminders.run()
      await server.refundEmails.run()
      await server.samePersonEmails.run()
      await server.dailyReviewEmail.run()
      await server.retention.run()
      await server.mailer.run()
    },
    emails: async () =>
      (
        await deps.store.mails({ events: null, status: null, address: '' }, null, MAX_EMAILS)
      ).toReversed(),
    close: async () => {
      await server.close()
      await removeFolder()
    },
  })
}

/** Encodes answers as the form does: as JSON, or as a multipart form if there are files. */
function encodeAnswers(event: EventConfig, answers: Answers): object | FormData {
  const files = event.fields.filter(({ id, type }) => type === 'file' && id in answers)
  if (files.length === 0) return answers
  const form = new FormData()
  for (const [id, value] of Object.entries(answers))
    if (!files.some((file) => file.id === id))
      form.append(id, typeof value === 'object' ? JSON.stringify(value) : String(value))
  for (const { id } of files)
    form.append(id, new File([buildSamplePdf()], String(answers[id]), { type: 'application/pdf' }))
  return form
}
