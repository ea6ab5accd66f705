/** What the calls about mails and event files answer. */
import { readInstant } from '../../engine/index.ts'
import type { EventFilesAnswer, MailsAnswer, WireEventFile, WireMail } from '../../engine/index.ts'
import type { Reader } from '../api.ts'
import { holdsAll, isRecord, listOf } from '../shared/shape.ts'

const isTextOrNone = (value: unknown): boolean => value === null || typeof value === 'string'
const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && readInstant(value) !== null

export const readMails: Reader<MailsAnswer> = (body) =>
  isRecord(body) &&
  isRecord(body['counts']) &&
  holdsAll(body['counts'], 'number', 'queued', 'failed', 'sent') &&
  holdsAll(body, 'number', 'counted_to') &&
  listOf(body['mails'], readMail) !== null &&
  (body['before'] === null || typeof body['before'] === 'number')
    ? (body as MailsAnswer)
    : null

const readMail = (value: unknown): WireMail | null =>
  isRecord(value) &&
  holdsAll(value, 'number', 'id', 'tries') &&
  holdsAll(value, 'string', 'to', 'subject', 'event_id', 'event', 'status') &&
  isInstant(value['at']) &&
  (value['next_at'] === null || isInstant(value['next_at'])) &&
  isTextOrNone(value['reg_no']) &&
  isTextOrNone(value['error'])
    ? (value as WireMail)
    : null

export const readEventFiles: Reader<EventFilesAnswer> = (body) =>
  isRecord(body) && listOf(body['files'], readFile) !== null ? (body as EventFilesAnswer) : null

const readFile = (value: unknown): WireEventFile | null =>
  isRecord(value) &&
  holdsAll(value, 'string', 'file', 'is') &&
  ['event_id', 'title', 'version', 'why', 'findings'].every((name) => isTextOrNone(value[name]))
    ? (value as WireEventFile)
    : null
