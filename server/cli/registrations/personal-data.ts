/** `rollcall registration export-person` and `erase`: export or erase the personal data of one person. */
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { formatIsoIndia } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import { eraseRegistration } from '../../registration/actions/erase-personal-data.ts'
import { getFileName } from '../../documents/document-contents.ts'
import { renderPdf } from '../../documents/render-pdf.ts'
import type { StoredRegistration } from '../../storage/index.ts'
import { parseArguments } from '../options.ts'
import { withContext } from '../command-context.ts'
import type { CommandContext } from '../command-context.ts'
import type { Command } from '../command.ts'

/** Commands have no sign-in, so the audit log records this user. */
const AUDIT_USER = 'command line'

const personHelp = `Usage: rollcall registration export-person EMAIL [--into FOLDER]

Writes all data about the person with this email address into a folder: person.json with the person's registrations
for all events, and the payments, refunds, emails, actions and decisions of each; the uploaded files; and the
documents as PDF. A registration that was transferred contains data about both persons; the command says so. You can
run this command while the server is running.

  --into FOLDER   the folder to create; default: ./person

Exit status: 0 done; 1 no registration has this address; 2 invalid usage; 3 internal error.`

export const exportPersonCommand: Command = {
  help: personHelp,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, { into: { type: 'string' } }, [1, 1], personHelp, terminal)
    if (parsed === null) return 2
    const email = parsed.positionals[0] ?? ''
    const folder = path.resolve(parsed.values.into ?? 'person')
    return withContext(terminal, async (deps) => {
      const regNos = await deps.store.registrationsWithEmail(email)
      if (regNos.length === 0) {
        terminal.printError(`No registration has the email address ${email}.`)
        return 1
      }
      if ((await mkdir(folder, { recursive: true, mode: 0o700 })) === undefined) {
        terminal.printError(`${folder} already exists. Specify another folder with --into.`)
        return 2
      }
      const registrations = []
      for (const regNo of regNos) {
        const registration = await deps.store.registration(regNo)
        if (registration?.wasTransferred === true)
          terminal.printError(
            `${regNo} was transferred from another person. Its answers, files, emails and documents can contain data about both: remove the other person's before you pass them on.`,
          )
        registrations.push(await collectData(deps, regNo, registration, folder))
      }
      const text = JSON.stringify({ email, registrations }, null, 2)
      await writeFile(path.join(folder, 'person.json'), `${text}\n`, { mode: 0o600 })
      terminal.print(
        `${regNos.length === 1 ? 'One registration' : `${regNos.length} registrations`} written to ${folder}.`,
      )
      return 0
    })
  },
}

/** Returns all data of one registration, and writes its files and documents into the folder. */
async function collectData(
  deps: CommandContext,
  regNo: RegNo,
  registration: StoredRegistration | null,
  folder: string,
): Promise<object> {
  const { store, uploads, clock } = deps
  if (registration === null) return { regNo }
  await store.addAuditEntry({
    at: clock(),
    who: AUDIT_USER,
    what: "exported the person's data",
    eventId: registration.eventId,
    regNo,
  })
  const files: string[] = []
  for (const { field, sha256, name } of registration.uploads) {
    const file = await uploads.read(sha256)
    if (file === null) continue
    files.push(`${regNo}-${field}${path.extname(name)}`)
    await pipeline(file.content, createWriteStream(getLastFilePath(folder, files), { mode: 0o600 }))
  }
  const documents = []
  for (const { id } of await store.documents(regNo)) {
    const body = await store.document(regNo, id)
    if (body === null) continue
    documents.push(body)
    files.push(`${regNo}-${getFileName(body)}`)
    await writeFile(
      getLastFilePath(folder, files),
      await renderPdf(body, deps.events.findById(body.event.id)?.config),
      { mode: 0o600 },
    )
  }
  const [emails, actions, captures, refunds, decisions] = await Promise.all([
    store.emailsOfRegistration(regNo),
    store.actions(regNo),
    store.captures(regNo),
    store.refunds(regNo),
    store.decisions(regNo),
  ])
  return formatInstants({
    ...registration,
    mails: emails,
    acts: actions,
    captures,
    refunds,
    decisions,
    documents,
    files,
  })
}

const getLastFilePath = (folder: string, files: readonly string[]): string =>
  path.join(folder, files.at(-1) ?? '')

/** Formats all times, which are numbers under keys such as `at` or `…At`. */
function formatInstants(value: object): object {
  return JSON.parse(
    JSON.stringify(value, (name, item: unknown) =>
      typeof item === 'number' && /(^at|At|Since|Until)$/.test(name) && item > 0
        ? formatIsoIndia(item as StoredRegistration['createdAt'])
        : item,
    ),
  ) as object
}

const eraseHelp = `Usage: rollcall registration erase REG_NO|EMAIL --why TEXT

Erases a person's data: name, address, phone, answers, files and emails of one registration, or of all
registrations with the given email address. Payments, legally required documents and the list of actions stay on
record. An unpaid registration is cancelled. This cannot be undone. You can run this command while the server is
running.

  --why TEXT   the reason, for the audit log; do not include the person's name

Exit status: 0 done; 1 no such registration, or one of its payments is under review; 2 invalid usage; 3 internal error.`

export const eraseCommand: Command = {
  help: eraseHelp,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, { why: { type: 'string' } }, [1, 1], eraseHelp, terminal)
    if (parsed === null) return 2
    const target = (parsed.positionals[0] ?? '').trim()
    const { why: reason } = parsed.values
    if (reason === undefined) {
      terminal.printError('Specify the reason: --why TEXT.')
      return 2
    }
    return withContext(terminal, async (deps) => {
      const regNos = target.includes('@')
        ? await deps.store.registrationsWithEmail(target)
        : [target as RegNo]
      let hasFailed = regNos.length === 0
      if (hasFailed) terminal.printError(`No registration found for ${target}.`)
      for (const regNo of regNos) {
        const registration = await deps.store.registration(regNo)
        const request = {
          regNo,
          act: 'erase',
          actor: 'owner',
          who: AUDIT_USER,
          why: reason,
          idempotencyKey: null,
        } as const
        const result =
          registration === null
            ? null
            : await eraseRegistration(deps, registration, {
                ...request,
                at: deps.clock(),
                previousAnswers: registration.answers,
              })
        if (result?.ok === true) terminal.print(result.value.message)
        else {
          hasFailed = true
          terminal.printError(
            result === null
              ? `No registration found for ${regNo}.`
              : `${regNo}: ${result.error.message}`,
          )
        }
      }
      return hasFailed ? 1 : 0
    })
  },
}
