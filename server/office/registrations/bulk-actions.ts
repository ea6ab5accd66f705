/**
 * Performs one action on many registrations.
 * Each is processed separately: one refusal stops no others.
 */
import type { FastifyReply } from 'fastify'
import { isActName, maySee } from '../../../engine/index.ts'
import type { ActionName, RegNo } from '../../../engine/index.ts'
import type { BulkAnswer } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import type { Admin } from '../auth/sessions.ts'
import type { NamedRow } from '../auth/request-targets.ts'
import { ACT_WORDS, textIn } from '../../registration/actions/action-input.ts'
import type {
  ActionParameter,
  ActionHandler,
  Words,
} from '../../registration/actions/action-input.ts'
import { confirmTold } from '../../registration/actions/confirm-payment-claim.ts'
import { DOERS } from '../../registration/actions/action-handlers.ts'

/** Actions whose input is the same for every registration. */
const BULK: ReadonlySet<ActionName> = new Set([
  'accept',
  'approve',
  'confirm',
  'note',
  'resend',
  'send_pay_link',
])

type Row = Omit<NamedRow, 'words'> & { readonly words: Words }
type Done = Pick<BulkAnswer, 'done' | 'refused'>

/** `eventId` null: any event that the user works for. */
export async function doEach(
  deps: Deps,
  admin: Admin,
  rows: readonly Row[],
  how: {
    readonly act: ActionName
    readonly why: string
    readonly doer: ActionHandler
    readonly eventId: string | null
  },
): Promise<Done> {
  const done: string[] = []
  const refused: { reg_no: string; message: string }[] = []
  for (const { asked, regNo: number, words } of rows) {
    const no = (message: string): void => void refused.push({ reg_no: asked, message })
    // Read again: a previous action may have changed it.
    const registration = number === null ? null : await deps.store.registration(number)
    const served = registration === null ? null : deps.events.byId(registration.eventId)
    if (registration === null || served === null) {
      no('No registration has this number.')
      continue
    }
    if (
      !maySee(admin, registration.eventId) ||
      (how.eventId !== null && how.eventId !== registration.eventId)
    ) {
      no('This registration belongs to another event.')
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
  const said = `${done.length} ${did}`
  const message =
    refused.length === 0 ? `${said}.` : `${said}; ${refused.length} failed, for the reasons below.`
  return { status: 'success', message, done, refused }
}

export function bulkRoutes(office: OfficeRoutes, deps: Deps): void {
  const act = async (
    { admin, target, body }: Call<'registrations', never, ActionParameter>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { act: named, ...words } = body
    const isKnown = typeof named === 'string' && isActName(named) && BULK.has(named)
    // Each payment is confirmed as its payment claim reports it.
    const doer = !isKnown ? undefined : named === 'confirm' ? confirmTold : DOERS[named]
    if (!isKnown || doer === undefined)
      return refuse(
        reply,
        422,
        'act_unknown',
        'This action is not available for several registrations.',
      )
    const why = textIn(words, 'why')
    const reviews = named === 'accept' ? await deps.store.reviews(null) : []
    const wordsFor = (regNo: RegNo | null): Words => {
      // If there are several, the user has to choose.
      const [only, ...others] = reviews.filter((review) => review.regNo === regNo)
      return only === undefined || others.length > 0 ? words : { ...words, review: only.id }
    }
    const done = await doEach(
      deps,
      admin,
      target.rows.map((row) => ({ ...row, words: wordsFor(row.regNo) })),
      { act: named, why, doer, eventId: target.eventId },
    )
    return reply.header('cache-control', 'no-store').send(bulkAnswer(done, 'done'))
  }
  office.post(
    '/admin/registrations/bulk',
    { least: 'desk', about: 'registrations', body: ACT_WORDS },
    act,
  )
}
