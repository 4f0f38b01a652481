import { Controller, Get, Req } from '@nestjs/common'
import type { RequestLike } from 'latchkey'
import { auth } from './auth.js'

@Controller()
export class ProfileController {
  @Get()
  greet() {
    return { message: 'hello, guest' }
  }

  @Get('profile')
  async profile(@Req() request: RequestLike) {
    const { user } = await auth().requireUser(request)
    return { message: `hello, ${user.email}` }
  }
}
