import { Module } from '@nestjs/common'
import { APP_FILTER } from '@nestjs/core'
import { AuthErrorFilter } from './auth-error.filter.js'
import { ProfileController } from './profile.controller.js'

@Module({
  controllers: [ProfileController],
  providers: [{ provide: APP_FILTER, useClass: AuthErrorFilter }],
})
export class AppModule {}
