/** The end of a session: whatever call says so leads to the login. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { ApiError } from '../app/api-client.ts'
import { LOGIN, isApiError } from './office-api-and-urls.ts'

/** To the login, forgetting everything that was loaded, and back here afterwards. */
export function useLeave(): () => void {
  const navigate = useNavigate()
  const client = useQueryClient()
  const { pathname, search } = useLocation()
  return useCallback(() => {
    client.clear()
    void navigate(`${LOGIN}?next=${encodeURIComponent(pathname + search)}`, { replace: true })
  }, [client, navigate, pathname, search])
}

/**
 * What every query and every mutation of the office hands its error to: leaves when it says that the
 * session is over, else answers it. An error that is none of a call's is a bug of ours, and thrown on.
 */
export function useLeaveOn401(error: unknown): ApiError | null {
  const leave = useLeave()
  const isOver = isApiError(error) && error.status === 401
  useEffect(() => {
    if (isOver) leave()
  }, [isOver, leave])
  if (error !== null && !isApiError(error)) throw error
  return isOver ? null : error
}
