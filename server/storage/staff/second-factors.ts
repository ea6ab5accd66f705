/** Stores second factors: secrets, used codes and recovery codes. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { StoredAccount } from './staff-types.ts'
import { findUserId } from './users.ts'

type UserParams = { adminId: number }
const accountOfUser = statement((builder, { adminId }: UserParams) =>
  builder
    .selectFrom('admins')
    .select((eb) => [
      'password_hash as passwordHash',
      'totp_secret as totpSecret',
      'totp_wanted as totpWanted',
      eb
        .selectFrom('recovery_codes as c')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('c.admin_id', '=', 'admins.id')
        .where('c.used_at', 'is', null)
        .as('recoveryCodesLeft'),
      eb
        .selectFrom('recovery_codes as c')
        .select(({ fn }) => fn.min('c.code_hash').as('smallest'))
        .whereRef('c.admin_id', '=', 'admins.id')
        .as('recoveryCodeSet'),
    ])
    .where('id', '=', adminId),
)
const saveUnconfirmedSecret = statement(
  (builder, { adminId, secret }: UserParams & { secret: string }) =>
    builder.updateTable('admins').set({ totp_wanted: secret }).where('id', '=', adminId),
)
const confirmSecret = statement(
  (builder, { adminId, secret, step }: UserParams & { secret: string; step: number }) =>
    builder
      .updateTable('admins')
      .set((eb) => ({ totp_secret: eb.ref('totp_wanted'), totp_wanted: null, totp_step: step }))
      .where('id', '=', adminId)
      .where('totp_wanted', '=', secret),
)
const deleteSecret = statement((builder, { adminId }: UserParams) =>
  builder
    .updateTable('admins')
    .set({ totp_secret: null, totp_wanted: null })
    .where('id', '=', adminId)
    .where('totp_secret', 'is not', null),
)
type AcceptedCode = UserParams & { step: number; encryptedSecret: string | null }
const saveStep = statement((builder, { adminId, step, encryptedSecret }: AcceptedCode) =>
  builder
    .updateTable('admins')
    .set((eb) => ({
      totp_step: step,
      totp_secret: eb.fn.coalesce(eb.val(encryptedSecret), 'totp_secret'),
    }))
    .where('id', '=', adminId)
    .where('totp_step', '<', step),
)
const addRecoveryCode = statement(
  (builder, { adminId, codeHash }: UserParams & { codeHash: string }) =>
    builder.insertInto('recovery_codes').values({ admin_id: adminId, code_hash: codeHash }),
)
const markRecoveryCodeUsed = statement(
  (builder, { adminId, codeHash, at }: UserParams & { codeHash: string; at: Instant }) =>
    builder
      .updateTable('recovery_codes')
      .set({ used_at: at })
      .where('admin_id', '=', adminId)
      .where('code_hash', '=', codeHash)
      .where('used_at', 'is', null),
)
const recoveryCodeSetOfUser = statement((builder, { adminId }: UserParams) =>
  builder
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.min('code_hash').as('smallest'))
    .where('admin_id', '=', adminId),
)
const deleteRecoveryCodes = statement((builder, { adminId }: UserParams) =>
  builder.deleteFrom('recovery_codes').where('admin_id', '=', adminId),
)
const officeSettings = statement((builder) =>
  builder.selectFrom('office_settings').select('second_factor_required as isRequired'),
)
const saveOfficeSettings = statement((builder, { isRequired }: { isRequired: 0 | 1 }) =>
  builder.updateTable('office_settings').set({ second_factor_required: isRequired }),
)

export function startSecondFactorSetup(sql: Sql, adminId: number, secret: string): void {
  saveUnconfirmedSecret.run(sql, { adminId, secret })
}

export async function confirmSecondFactor(
  sql: Sql,
  adminId: number,
  secret: string,
  step: number,
  codeHashes: readonly string[],
): Promise<boolean> {
  const isConfirmed = (await confirmSecret.run(sql, { adminId, secret, step }).changes) === 1
  if (isConfirmed) replaceRecoveryCodes(sql, adminId, codeHashes)
  return isConfirmed
}

/** Accepts a code with one conditional statement, so that only one of two requests with the same code is accepted. */
export async function acceptSecondFactorCode(
  sql: Sql,
  adminId: number,
  step: number,
  encryptedSecret: string | null,
): Promise<boolean> {
  return (await saveStep.run(sql, { adminId, step, encryptedSecret }).changes) === 1
}

export async function useRecoveryCode(
  sql: Sql,
  adminId: number,
  codeHash: string,
  at: Instant,
): Promise<boolean> {
  return (await markRecoveryCodeUsed.run(sql, { adminId, codeHash, at }).changes) === 1
}

/** Replaces the codes, unless another request has replaced them: the page of that request shows codes that must work. */
export async function renewRecoveryCodes(
  sql: Sql,
  adminId: number,
  codeHashes: readonly string[],
  seenSet: string | null,
): Promise<boolean> {
  const current = await recoveryCodeSetOfUser.get(sql, { adminId })
  if ((current?.smallest ?? null) !== seenSet) return false
  replaceRecoveryCodes(sql, adminId, codeHashes)
  return true
}

function replaceRecoveryCodes(sql: Sql, adminId: number, codeHashes: readonly string[]): void {
  deleteRecoveryCodes.run(sql, { adminId })
  for (const codeHash of codeHashes) addRecoveryCode.run(sql, { adminId, codeHash })
}

export async function removeSecondFactor(sql: Sql, username: string): Promise<boolean> {
  const adminId = await findUserId(sql, username)
  if (adminId === null) return false
  deleteRecoveryCodes.run(sql, { adminId })
  return (await deleteSecret.run(sql, { adminId }).changes) === 1
}

export function requireSecondFactor(sql: Sql, isRequired: boolean): void {
  saveOfficeSettings.run(sql, { isRequired: isRequired ? 1 : 0 })
}

/** Creates the look-ups by key, which run on the main thread. */
export function createSecondFactorReads(sql: Sql) {
  return {
    async account(adminId: number): Promise<StoredAccount | null> {
      const account = await accountOfUser.get(sql, { adminId })
      return account === undefined
        ? null
        : { ...account, recoveryCodesLeft: account.recoveryCodesLeft ?? 0 }
    },
    async secondFactorRequired(): Promise<boolean> {
      return (await officeSettings.get(sql))?.isRequired === 1
    },
  }
}
