import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common'
import { AuthError } from 'latchkey'

/** What `requireUser` throws says itself how it is to be answered. */
@Catch(AuthError)
export class AuthErrorFilter implements ExceptionFilter {
  catch({ status, code, message }: AuthError, host: ArgumentsHost) {
    host.switchToHttp().getResponse().status(status).send({ code, message })
  }
}
