/** Leaving the office: forgetting what was loaded, also when the session has ended. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { LOGIN, isApiError } from './calls.ts'

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

/** Leaves when a call says that the session is over. Answers the error when it is another one. */
export function useLeaveOn401(
  error: unknown,
): { readonly message: string; readonly status: number } | null {
  const leave = useLeave()
  const isOver = isApiError(error) && error.status === 401
  useEffect(() => {
    if (isOver) leave()
  }, [isOver, leave])
  return isApiError(error) && !isOver ? error : null
}
