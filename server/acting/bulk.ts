/** One act done to many registrations, one after the other: each is judged by itself, and a no to one stops none of the others. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isActName, maySee } from '../../engine/index.ts'
import type { ActName, BulkAnswer } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import { requireAdmin } from '../office/guard.ts'
import type { Admin } from '../office/session.ts'
import { textIn } from './asked.ts'
import type { Doer, Words } from './asked.ts'
import { wordsOf } from './calls.ts'
import { confirmTold } from './confirming-told.ts'
import { DOERS } from './doers.ts'

/** As many as a page of a list has, and more; each is a transaction of its own. */
const ROWS_MAX = 500
/** What is the same for each of them. */
const BULK: ReadonlySet<ActName> = new Set([
  'accept',
  'approve',
  'confirm',
  'note',
  'resend',
  'send_pay_link',
])

type Row = { readonly regNo: string; readonly words: Words }
type Done = Pick<BulkAnswer, 'done' | 'refused'>

/** `eventId` undefined: of whichever events the person works for. */
export async function doEach(
  deps: Deps,
  admin: Admin,
  rows: readonly Row[],
  how: {
    readonly act: ActName
    readonly why: string
    readonly doer: Doer
    readonly eventId?: string
  },
): Promise<Done> {
  const done: string[] = []
  const refused: { reg_no: string; message: string }[] = []
  for (const { regNo: asked, words } of rows) {
    const no = (message: string): void => void refused.push({ reg_no: asked, message })
    const registration = await deps.store.registration(asked)
    const served = registration === null ? null : deps.events.byId(registration.eventId)
    if (registration === null || served === null) {
      no('There is no registration with this number.')
      continue
    }
    if (
      !maySee(admin, registration.eventId) ||
      (how.eventId !== undefined && how.eventId !== registration.eventId)
    ) {
      no('This registration is of another event.')
      continue
    }
    const { regNo } = registration
    const { act, why } = how
    const { role: actor, username: who } = admin
    const wanted = { regNo, act, actor, who, why, at: deps.clock(), once: null }
    const answer = await how.doer({ deps, served, registration, wanted, words })
    if (answer.ok) done.push(regNo)
    else no(answer.error.message)
  }
  return { done, refused }
}

export function bulkAnswer({ done, refused }: Done, did: string): BulkAnswer {
  const said = `${done.length} ${done.length === 1 ? 'is' : 'are'} ${did}`
  const message =
    refused.length === 0
      ? `${said}.`
      : `${said}; ${refused.length} ${refused.length === 1 ? 'is' : 'are'} not, for the reasons below.`
  return { status: 'success', message, done, refused }
}

export function bulkRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): void {
  const act = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admin = await requireAdmin(deps, request, reply)
    if (admin === null) return reply
    const { act: named, reg_nos: numbers, ...words } = wordsOf(request)
    const isKnown = typeof named === 'string' && isActName(named) && BULK.has(named)
    // What came of each is what was told of it.
    const doer = !isKnown ? undefined : named === 'confirm' ? confirmTold : DOERS[named]
    if (!isKnown || doer === undefined)
      return refuse(reply, 422, 'act_unknown', 'This cannot be done to many at once.')
    const rows = Array.isArray(numbers) ? [...new Set(numbers.map(String))] : []
    if (rows.length === 0 || rows.length > ROWS_MAX)
      return refuse(
        reply,
        422,
        'bad_data',
        `Tick at least one registration, and at most ${ROWS_MAX}.`,
      )
    const why = textIn(words, 'why')
    const reviews = named === 'accept' ? await deps.store.reviews(null) : []
    const wordsFor = (regNo: string): Words => {
      // Of several, somebody has to say which.
      const [only, ...others] = reviews.filter((review) => review.regNo === regNo)
      return only === undefined || others.length > 0 ? words : { ...words, review: only.id }
    }
    const done = await doEach(
      deps,
      admin,
      rows.map((regNo) => ({ regNo, words: wordsFor(regNo) })),
      { act: named, why, doer },
    )
    return reply.header('cache-control', 'no-store').send(bulkAnswer(done, 'done'))
  }
  for (const path of paths('/admin/registrations/bulk'))
    app.post(path, { config: { office: { least: 'desk', about: 'event' } } }, act)
}
